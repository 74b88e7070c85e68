/** The contract of a driver of the store, as tests of it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { rolldown } from "rolldown";
import type { StoreDriver } from "../../repos/store/driver.ts";
import type { RepoId } from "../../repos/store/index.ts";
import type { DriverOptions } from "../../repos/store/open-driver.ts";
import { buildIndex, packHeader } from "../../repos/store/pack/format.ts";
import { repoFolder } from "../../repos/store/posix/layout.ts";
import { root as checkout } from "../support/root.ts";
import { temporaryFolder } from "./fixtures.ts";

interface DriverFactory {
  /** Opens it as another process, or on another machine. */
  open(): StoreDriver;
  /** The options of that driver, for a process of its own. */
  options(): DriverOptions;
}

/** Makes everything in a repository's folder look that old: leftovers are removed only then. */
async function age({ root }: DriverOptions, repo: RepoId, ms: number): Promise<void> {
  const folder = repoFolder(root, repo);
  const past = new Date(Date.now() - ms);
  for (const name of await readdir(folder, { recursive: true })) await utimes(join(folder, name), past, past);
}

export function somePack(bytes = 200): { pack: string; pieces: Buffer[]; index: Buffer; whole: Buffer } {
  const body = Buffer.concat([packHeader(1), randomBytes(bytes)]);
  const checksum = createHash("sha1").update(body).digest();
  const index = buildIndex([{ oid: randomBytes(20).toString("hex"), offset: 12, crc: 0 }], checksum);
  return {
    pack: checksum.toString("hex"),
    pieces: [body, checksum],
    index,
    whole: Buffer.concat([body, checksum]),
  };
}

export function storeDriverContract(
  name: string,
  make: () => Promise<DriverFactory & { close(): Promise<void> }>,
): void {
  describe(`the ${name} driver`, () => {
    let factory: Awaited<ReturnType<typeof make>>;
    let driver: StoreDriver;
    let repositories = 0;
    const tenantId = "5f0000000000000000000001";
    const nextRepo = (): RepoId => ({ tenantId, skillId: (++repositories).toString(16).padStart(24, "0") });
    before(async () => {
      factory = await make();
      driver = factory.open();
    });
    after(async () => {
      await driver.packs.close();
      await factory.close();
    });

    it("shows a complete pack to every process", async () => {
      const repo = nextRepo();
      const { pack, pieces, index, whole } = somePack();

      await driver.packs.put(repo, pack, pieces, index, "create");
      await driver.packs.put(repo, pack, pieces, index, "create");

      const other = factory.open();
      for (const { packs } of [driver, other]) {
        assert.deepEqual(await packs.list(repo), { packs: [pack], notes: [] });
        assert.ok((await packs.readIndex(repo, pack)).equals(index));
        assert.equal(await packs.size(repo, pack), whole.length);
        assert.ok((await packs.read(repo, pack, 0, whole.length)).equals(whole));
        assert.ok((await packs.read(repo, pack, 17, 30)).equals(whole.subarray(17, 47)));
        assert.equal((await packs.read(repo, pack, 5, 0)).length, 0);
        assert.equal(await packs.exists(repo), true);
      }
      await other.packs.close();
    });

    it("reports missing objects clearly", async () => {
      const repo = nextRepo();
      const missing = "0".repeat(40);

      assert.equal(await driver.packs.exists(repo), false);
      assert.deepEqual(await driver.packs.list(repo), { packs: [], notes: [] });
      await assert.rejects(driver.packs.readIndex(repo, missing), { code: "pack_vanished", retryable: true });
      await assert.rejects(driver.packs.read(repo, missing, 0, 1), { code: "pack_vanished" });
      await assert.rejects(driver.packs.size(repo, missing), { code: "pack_vanished" });
      await assert.rejects(
        driver.refs.advance(repo, async () => ({ main: null, head: null })),
        // Without a folder, only a tombstone distinguishes an erasure from a loss.
        { code: /^(repository|object)_missing$/ },
      );
      assert.deepEqual(await driver.refs.read(repo), { main: null, head: null, tags: [] });
      await driver.packs.erase(repo);
      await driver.packs.remove(repo, { packs: [missing], note: missing });
    });

    it("refuses to read past the end of a pack", async () => {
      const repo = nextRepo();
      const { pack, pieces, index, whole } = somePack();
      await driver.packs.put(repo, pack, pieces, index, "create");

      await assert.rejects(driver.packs.read(repo, pack, whole.length - 3, 4), { code: "object_corrupt" });
      await assert.rejects(driver.packs.read(repo, pack, whole.length + 10, 4), { code: "object_corrupt" });
    });

    it("rejects ids that are paths", async () => {
      for (const skillId of [
        "",
        "..",
        "../../../../tmp/x",
        "0".repeat(23),
        "0".repeat(25),
        "G".repeat(24),
        `${"0".repeat(24)}\n`,
      ]) {
        await assert.rejects(driver.packs.list({ tenantId, skillId }), { code: "invalid_id" }, skillId);
        await assert.rejects(driver.packs.erase({ tenantId: skillId, skillId: tenantId }), {
          code: "invalid_id",
        });
      }
    });

    it("publishes a staged pack under the checksum of all its bytes, and nothing before that", async () => {
      const repo = nextRepo();
      const pieces = [packHeader(0), randomBytes(3_000_000), Buffer.alloc(0), randomBytes(5)];
      const stage = await driver.packs.stage(repo, "create");
      await stage.append(pieces.slice(0, 2));
      assert.deepEqual((await driver.packs.list(repo)).packs, []);
      await stage.append(pieces.slice(2));

      const header = packHeader(1);
      const published = await stage.publish(header, (checksum) =>
        buildIndex([{ oid: "ab".repeat(20), offset: 12, crc: 0 }], checksum),
      );

      const body = Buffer.concat([header, ...pieces.slice(1)]);
      const checksum = createHash("sha1").update(body).digest();
      assert.equal(published.pack, checksum.toString("hex"));
      const whole = Buffer.concat([body, checksum]);
      assert.ok((await driver.packs.read(repo, published.pack, 0, whole.length)).equals(whole));
      assert.ok((await driver.packs.readIndex(repo, published.pack)).equals(published.index));
    });

    it("leaves nothing of a discarded staged pack", async () => {
      const repo = nextRepo();
      const stage = await driver.packs.stage(repo, "create");
      await stage.append([Buffer.alloc(100)]);

      await stage.discard();
      await stage.discard();

      await assert.rejects(stage.append([Buffer.alloc(1)]), { code: "store_closed" });
      await age(factory.options(), repo, 2 * 60 * 60_000);
      assert.equal((await driver.packs.sweep(repo)).temporary, 0);
    });

    it("lets a reader that has a pack open finish after it was removed", async () => {
      const repo = nextRepo();
      const { pack, pieces, index, whole } = somePack(100_000);
      await driver.packs.put(repo, pack, pieces, index, "create");
      await driver.packs.size(repo, pack);

      const [bytes] = await Promise.all([
        driver.packs.read(repo, pack, 0, whole.length),
        driver.packs.remove(repo, { packs: [pack] }),
      ]);

      assert.ok(bytes.equals(whole));
      assert.deepEqual((await driver.packs.list(repo)).packs, []);
      const other = factory.open();
      await assert.rejects(other.packs.read(repo, pack, 0, 1), { code: "pack_vanished" });
      await other.packs.close();
    });

    it("stores notes of what a pack replaced", async () => {
      const repo = nextRepo();
      const [one, two, both] = [somePack(), somePack(), somePack()];
      for (const { pack, pieces, index } of [one, two, both])
        await driver.packs.put(repo, pack, pieces, index, "create");

      await driver.packs.supersede(repo, both.pack, [one.pack, two.pack]);

      const listed = await driver.packs.list(repo);
      const note = await driver.packs.superseded(repo, both.pack);
      assert.deepEqual(listed.notes, [both.pack]);
      assert.equal(listed.packs.length, 3);
      assert.deepEqual(note.replaced, [one.pack, two.pack]);
      assert.ok(Math.abs(Date.now() - note.at.getTime()) < 60_000);
      await driver.packs.remove(repo, { packs: note.replaced, note: both.pack });
      assert.deepEqual(await driver.packs.list(repo), { packs: [both.pack], notes: [] });
    });

    it("lists every repository once and erases one without affecting the others", async () => {
      const [kept, gone] = [nextRepo(), nextRepo()];
      const { pack, pieces, index } = somePack();
      for (const repo of [kept, gone]) await driver.packs.put(repo, pack, pieces, index, "create");

      await driver.packs.erase(gone);

      const found: string[] = [];
      for await (const repo of driver.packs.repositories()) found.push(repo.skillId);
      assert.equal(found.filter((id) => id === kept.skillId).length, 1);
      assert.ok(!found.includes(gone.skillId));
      assert.equal(await driver.packs.exists(gone), false);
      await assert.rejects(driver.packs.read(gone, pack, 0, 1), { code: "pack_vanished" });
      assert.ok((await driver.packs.read(kept, pack, 0, 4)).equals(Buffer.from("PACK")));
      assert.equal((await driver.packs.sweep(undefined)).trash, 0);
    });

    it("continues a list of repositories behind any of them", async () => {
      const { pack, pieces, index } = somePack();
      const repos = [nextRepo(), { ...nextRepo(), tenantId: "f".repeat(24) }, nextRepo()];
      for (const repo of repos) await driver.packs.put(repo, pack, pieces, index, "create");
      const listed = async (passed?: RepoId) => {
        const found: RepoId[] = [];
        for await (const repo of driver.packs.repositories(passed)) found.push(repo);
        return found;
      };

      const all = await listed();

      assert.ok(all.length >= repos.length);
      for (const [at, repo] of all.entries()) assert.deepEqual(await listed(repo), all.slice(at + 1));
    });

    it("creates no repository for a write that builds on one", async () => {
      const repo = nextRepo();
      const { pack, pieces, index } = somePack();

      await assert.rejects(driver.packs.put(repo, pack, pieces, index, "existing"), {
        code: "repository_missing",
      });
      await assert.rejects(driver.packs.stage(repo, "existing"), { code: "repository_missing" });
      assert.equal(await driver.packs.exists(repo), false);
      await driver.packs.put(repo, pack, pieces, index, "create");
      await driver.packs.put(repo, pack, pieces, index, "existing");
      assert.deepEqual((await driver.packs.list(repo)).packs, [pack]);
    });

    it("creates many packs of one repository concurrently, the repository included", async () => {
      const repo = nextRepo();
      const packs = Array.from({ length: 25 }, () => somePack());

      await Promise.all(
        packs.map(({ pack, pieces, index }) => driver.packs.put(repo, pack, pieces, index, "create")),
      );

      const names = packs.map(({ pack }) => pack);
      assert.deepEqual((await driver.packs.list(repo)).packs.toSorted(), names.toSorted());
    });

    it("sets refs under the lock, and reports if they were already set", async () => {
      const repo = nextRepo();
      const { pack, pieces, index } = somePack();
      await driver.packs.put(repo, pack, pieces, index, "create");
      const [a, b] = ["a".repeat(40), "b".repeat(40)];

      assert.equal(await driver.refs.advance(repo, async () => ({ main: a, head: b })), "advanced");
      assert.equal(await driver.refs.advance(repo, async () => ({ main: a, head: b })), "unchanged");
      assert.deepEqual(await driver.refs.read(repo), { main: a, head: b, tags: [] });
      assert.equal(await driver.refs.advance(repo, async () => ({ main: null, head: b })), "advanced");
      assert.deepEqual(await driver.refs.read(repo), { main: null, head: b, tags: [] });
      await assert.rejects(
        driver.refs.advance(repo, async () => ({ main: "not an id", head: b })),
        { code: "invalid_id" },
      );
      await assert.rejects(
        driver.refs.advance(repo, async () => {
          throw new Error("no answer");
        }),
        /no answer/,
      );
      assert.equal(await driver.refs.advance(repo, async () => ({ main: b, head: b })), "advanced");
    });

    it("lets one of several concurrent writers of a ref succeed, and rejects the others without damage", async () => {
      const repo = nextRepo();
      const { pack, pieces, index } = somePack();
      await driver.packs.put(repo, pack, pieces, index, "create");
      const others = [factory.open(), factory.open(), factory.open()];
      let truth = 0;
      const oid = () => truth.toString(16).padStart(40, "0");

      const results = await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          truth++;
          return others[i % 3]!.refs.advance(repo, async () => ({ main: oid(), head: oid() }));
        }),
      );

      assert.ok(results.includes("advanced"));
      await driver.refs.advance(repo, async () => ({ main: oid(), head: oid() }));
      assert.deepEqual(await driver.refs.read(repo), { main: oid(), head: oid(), tags: [] });
      await Promise.all(others.map((other) => other.packs.close()));
    });

    it("leaves complete packs and removable leftovers when a writer is killed", async () => {
      const repo = nextRepo();
      const program = await bundleChild();
      for (let round = 0; round < 4; round++) {
        const acknowledged = await killWriter(
          program.file,
          [JSON.stringify(factory.options()), repo.tenantId, repo.skillId],
          20 + round * 40,
        );
        const fresh = factory.open();
        const { packs } = await fresh.packs.list(repo);

        for (const pack of acknowledged) assert.ok(packs.includes(pack), "an acknowledged pack is there");
        for (const pack of packs) {
          const whole = await fresh.packs.read(repo, pack, 0, await fresh.packs.size(repo, pack));
          const checksum = createHash("sha1").update(whole.subarray(0, -20)).digest();
          assert.ok(checksum.equals(whole.subarray(-20)) && checksum.toString("hex") === pack);
          assert.ok((await fresh.packs.readIndex(repo, pack)).subarray(-40, -20).equals(checksum));
        }
        await fresh.packs.close();
      }
      const left = await driver.packs.list(repo);
      await age(factory.options(), repo, 2 * 60 * 60_000);
      await driver.packs.sweep(repo);
      await driver.refs.sweep(repo);
      assert.deepEqual((await driver.packs.list(repo)).packs.toSorted(), left.packs.toSorted());
      assert.equal((await driver.packs.sweep(repo)).temporary, 0);
      const oid = "c".repeat(40);
      assert.equal(await driver.refs.advance(repo, async () => ({ main: oid, head: oid })), "advanced");
      await program.remove();
    });
  });
}

async function bundleChild(): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await temporaryFolder();
  const bundle = await rolldown({
    input: join(checkout, "test/store/pack-writer-child.ts"),
    platform: "node",
    logLevel: "silent",
  });
  const file = join(folder, "child.mjs");
  await bundle.write({ file, format: "esm" });
  await bundle.close();
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Kills the writer some time after its first acknowledgement; returns the packs it had acknowledged. */
function killWriter(program: string, args: string[], delayMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    let timer: NodeJS.Timeout | undefined;
    child.stdout.on("data", (piece: Buffer) => {
      text += piece.toString();
      timer ??= setTimeout(() => child.kill("SIGKILL"), delayMs);
    });
    child.once("close", (status, signal) => {
      clearTimeout(timer);
      if (signal !== "SIGKILL") return reject(new Error(`the writer ended by itself, with status ${status}`));
      return resolve([...text.matchAll(/^([0-9a-f]{40})$/gm)].map((match) => match[1]!));
    });
  });
}
