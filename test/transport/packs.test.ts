import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { RepoError } from "../../repos/errors.ts";
import { storePack } from "../../repos/mirror/store-pack.ts";
import { ObjectReader } from "../../repos/store/object-reader.ts";
import { PackIndex, entryHeader, packHeader } from "../../repos/store/pack/format.ts";
import { openPosixDriver } from "../../repos/store/posix/posix.ts";
import { readPackets } from "../../repos/transport/pkt-line.ts";
import { runGit } from "../support/host/git-host.ts";
import { assertSound, feedGit } from "../support/native-git.ts";
import { runCount } from "../support/run-count.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-packs-"));
const driver = openPosixDriver({ root: path.join(folder, "git"), readHandles: 8, staleLockMs: 1000 });
let made = 0;

const newId = () => ({
  tenantId: "5f0000000000000000000001",
  connectionId: (++made).toString(16).padStart(24, "0"),
});

function packed(args: string[], revisions: string): Buffer {
  return feedGit(source, revisions, "pack-objects", "--stdout", "-q", "--revs", ...args);
}

const source = path.join(folder, "source");
runGit(folder, "init", "-q", "-b", "main", source);
const lines = Array.from({ length: 400 }, (_, i) => `line ${i}\n`);
for (let i = 0; i < 8; i++) {
  lines[i * 7] = `changed in ${i}\n`;
  writeFileSync(path.join(source, "text.txt"), lines.join(""));
  writeFileSync(path.join(source, `file-${i}.bin`), randomBytes(3000));
  runGit(source, "add", "-A");
  runGit(source, "commit", "-q", "-m", `commit ${i}`);
}
writeFileSync(path.join(source, "empty"), "");
runGit(source, "add", "-A");
runGit(source, "commit", "-q", "-m", "empty");
const pack = packed(["--delta-base-offset", "--depth=50"], "main\n");

after(async () => {
  await driver.packs.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces the checksum at the end of a modified pack with the correct one. */
function signed(data: Buffer): Buffer {
  const body = data.subarray(0, -20);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

async function storedOids(data: Buffer): Promise<string[]> {
  const repo = newId();
  const stored = await storePack(driver.packs, repo, data, "create");
  assert.ok(stored);
  const objects = new ObjectReader(driver.packs, 1 << 20, () => undefined);
  const oids = [...new PackIndex(stored.index).oids()];
  // Reading checks each object against its id.
  for (const [oid, { type }] of await objects.heads(repo, oids)) await objects.read(repo, oid, type);
  return oids.toSorted();
}

describe("a received pack", () => {
  const all = () =>
    runGit(source, "rev-list", "--objects", "--no-object-names", "main").split("\n").toSorted();

  it("is stored object by object, with deltas of either kind", async () => {
    assert.deepEqual(await storedOids(pack), all());
    assert.deepEqual(await storedOids(packed(["--depth=50"], "main\n")), all());
    assertSound(
      path.join(folder, "git", "t", "5f0000000000000000000001", "mirror", `${"0".repeat(23)}1.git`),
    );
  });

  it("that is thin, truncated, or inconsistent is rejected, and leaves nothing", async () => {
    const thin = packed(["--thin"], "main\n^main~2\n");
    const body = pack.subarray(0, -20);
    const wrong: [string, Buffer][] = [
      ["thin", thin],
      ["cut", pack.subarray(0, -500)],
      ["truncated, with a valid checksum", signed(pack.subarray(0, -500))],
      ["longer", signed(Buffer.concat([body, Buffer.from("more"), Buffer.alloc(20)]))],
      ["nothing", Buffer.alloc(0)],
      ["a page", Buffer.from("<html>".repeat(20))],
      ["of another version", signed(Buffer.concat([Buffer.from("PACK\0\0\0\x04"), pack.subarray(8)]))],
      ["with a wrong count", signed(Buffer.concat([packHeader(5), pack.subarray(12)]))],
    ];
    for (const [what, data] of wrong) {
      const repo = newId();
      await assert.rejects(storePack(driver.packs, repo, data, "create"), { code: "remote_protocol" }, what);
      assert.deepEqual((await driver.packs.list(repo)).packs, [], what);
    }
  });

  it("that is damaged anywhere never stores an object under a wrong id", async () => {
    const right = new Set(all());
    await fc.assert(
      fc.asyncProperty(fc.nat(pack.length - 33), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = Buffer.from(pack);
        damaged[12 + at]! ^= flip;
        try {
          for (const oid of await storedOids(signed(damaged))) right.has(oid);
        } catch (error) {
          assert.ok(error instanceof RepoError, String(error));
          assert.equal(error.code, "remote_protocol");
        }
      }),
      { numRuns: runCount(30, 1500) },
    );
  });

  it("does not block other work while a large object is inflated, and stores it unchanged", async () => {
    const large = Buffer.alloc(48 << 20, "a line that is there many times\n");
    const packOf = (says: number) =>
      signed(Buffer.concat([packHeader(1), entryHeader(3, says), deflateSync(large), Buffer.alloc(20)]));
    assert.equal((await storedOids(packOf(large.length))).length, 1);

    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    // One byte less than declared: the fault is found when all of it is inflated, and before a file is changed.
    await assert.rejects(
      storePack(driver.packs, newId(), packOf(large.length + 1), "create"),
      /another size than declared/,
    );
    isOver = true;

    assert.ok(turns > 10, `${turns} turns`);
  });

  it("is not inflated beyond its declared size, nor buffered if that is too large", async () => {
    const bomb = (said: number, real: number) =>
      signed(
        Buffer.concat([
          packHeader(1),
          entryHeader(3, said),
          deflateSync(Buffer.alloc(real)),
          Buffer.alloc(20),
        ]),
      );
    await assert.rejects(storePack(driver.packs, newId(), bomb(10, 50_000_000), "create"), {
      code: "remote_protocol",
    });
    await assert.rejects(storePack(driver.packs, newId(), bomb(2 ** 40, 10), "create"), {
      code: "remote_too_large",
    });
    assert.equal((await storedOids(bomb(1000, 1000))).length, 1);
  });
});

describe("packets", () => {
  it("are parsed the same for any chunks of the stream", async () => {
    const whole = Buffer.from("0006ab00000009abcde0004000aend, \n");
    const expected = ["ab", null, "abcde", "", "end, \n"];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes) => {
        async function* pieces() {
          for (let at = 0, i = 0; at < whole.length; i++) {
            const size = sizes[i % sizes.length]!;
            yield whole.subarray(at, at + size);
            at += size;
          }
        }
        const found: (string | null)[] = [];
        for await (const packet of readPackets(pieces())) found.push(packet?.toString() ?? null);
        assert.deepEqual(found, expected);
      }),
    );
  });

  for (const bad of ["<html>", "00", "0008ab", "0003", "zzzz", "-001"])
    it(`reject ${JSON.stringify(bad)}`, async () => {
      async function* pieces() {
        yield Buffer.from(bad);
      }
      await assert.rejects(
        async () => {
          for await (const _ of readPackets(pieces()));
        },
        { code: "remote_protocol" },
      );
    });
});
