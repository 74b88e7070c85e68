/** A store on several machines: one object store, and a folder of copies for each of them. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { openObjectStore } from "../../repos/object-store/s3.ts";
import {
  openSkillStore,
  type SkillStore,
  type StoreOptions,
  type WrittenCommit,
} from "../../repos/store/index.ts";
import { openDriver } from "../../repos/store/open-driver.ts";
import { draft, fsck, git, publishChain, repo, temporaryFolder, textFile } from "../store/fixtures.ts";
import { newBucket, whyNoObjectStore } from "../support/object-store.ts";

const skip = whyNoObjectStore();
const nativeGit = { program: "git", searchPath: process.env["PATH"] };

/** Bytes of the files below a folder. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

describe("a store on several machines", { skip }, async () => {
  if (skip !== undefined) return;
  const folder = await temporaryFolder();
  const opened: SkillStore[] = [];
  after(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  });
  let machines = 0;
  /** A bucket of its own, and a function that opens its store on a new machine. */
  async function newStores() {
    const store = await newBucket();
    const objects = openObjectStore(store);
    after(() => objects.close());
    const optionsOf = (name: string, more: Partial<StoreOptions> = {}) => ({
      root: join(folder, name),
      committerHost: "svc.test",
      graceMs: 0,
      autoMaintain: false,
      remote: { store, maxBytes: 1024 ** 3 },
      ...more,
    });
    return {
      store,
      objects,
      open(name = `machine-${++machines}`, more: Partial<StoreOptions> = {}) {
        const one = openSkillStore(optionsOf(name, more));
        opened.push(one);
        return one;
      },
      driver: (name: string, maxBytes = 1024 ** 3) =>
        openDriver(
          { ...optionsOf(name), readHandles: 16, staleLockMs: 10_000, remote: { store, maxBytes } },
          () => undefined,
        ),
    };
  }
  const keysOf = async ({ objects }: Awaited<ReturnType<typeof newStores>>, prefix: string) => {
    const keys: string[] = [];
    for await (const { key } of objects.list(prefix)) keys.push(key);
    return keys;
  };

  it("reads on each what any other has written, and one object holds a version", async () => {
    const stores = await newStores();
    const [one, other] = [stores.open(), stores.open()];
    const first = await one.writeCommit(repo, draft([textFile("SKILL.md", "one\n")]));
    const second = await other.writeCommit(repo, draft([textFile("SKILL.md", "two\n")], first.oid, 2));

    for (const store of [one, other, stores.open()])
      for (const { oid, digest } of [first, second]) await store.verify(repo, oid, digest);
    assert.equal((await keysOf(stores, "t/")).length, 2);
  });

  it("writes equal packs on two machines at the same time as one object", async () => {
    const stores = await newStores();
    const same = draft([textFile("SKILL.md", "same\n")]);

    const written = await Promise.all(
      Array.from({ length: 6 }, async () => stores.open().writeCommit(repo, same)),
    );

    assert.equal(new Set(written.map(({ oid }) => oid)).size, 1);
    assert.equal((await keysOf(stores, "t/")).length, 1);
  });

  it("reads every version while another machine replaces the packs", async () => {
    const stores = await newStores();
    const [writer, reader] = [stores.open(), stores.open()];
    const chain = await publishChain(writer, 40);
    await reader.verify(repo, chain[0]!.oid, chain[0]!.digest);
    const progress = { isDone: false, reads: 0 };
    const maintained = (async () => {
      for (let round = 0; round < 6; round++) {
        await writer.maintain(repo);
        await publishChain(writer, 16, chain.at(-1)!.oid, 100 * (round + 1));
      }
      progress.isDone = true;
    })();

    while (!progress.isDone)
      for (const { oid, digest } of chain) {
        await (progress.reads++ % 7 === 0 ? stores.open() : reader).verify(repo, oid, digest);
        if (progress.isDone) break;
      }
    await maintained;

    assert.ok(progress.reads > 20);
    await writer.maintain(repo);
    assert.ok((await keysOf(stores, "t/")).length < 40);
    assert.deepEqual(await keysOf(stores, "replaced/"), [], "notes are removed with what they name");
  });

  it("serves native git on a machine that has nothing, and packs what git has written", async () => {
    const stores = await newStores();
    const [writer, server] = [stores.open(), stores.open()];
    const chain = await publishChain(writer, 20);
    const head = chain.at(-1)!.oid;
    const tags = chain.map(({ oid }, index) => ({ name: `v1.0.${index}`, oid }));
    assert.deepEqual(await server.readRefs(repo), { main: null, head: null, tags: [] });

    await server.advanceRefs(repo, async () => ({ main: head, head, tags }));
    const served = await server.materialize(repo);
    assert.equal((await git(served, "rev-list", "--count", "main")).toString(), "20\n");
    assert.deepEqual(await fsck(served), []);
    assert.deepEqual(await server.findFaults(repo, nativeGit), []);

    assert.deepEqual(await server.repack(repo, nativeGit), { written: 1, superseded: 20 });
    for await (const one of writer.listReposToSweep()) await writer.sweep(one);
    assert.equal((await keysOf(stores, "t/")).length, 1);
    for (const store of [writer, stores.open()])
      for (const { oid, digest } of chain) await store.verify(repo, oid, digest);
  });

  it("reports a lost object as damage, also to native git", async () => {
    const stores = await newStores();
    const [first, second] = await publishChain(stores.open(), 2);
    await stores.objects.remove(await keysOf(stores, "t/"));

    const store = stores.open();
    await assert.rejects(store.readCommit(repo, first!.oid), { code: "object_missing" });
    assert.equal(await store.exists(repo), false);
    assert.equal(await store.wasErased(repo), false, "an erasure would have left a tombstone");
    // Another pack of the repository is left, so that git would serve it as an empty one.
    await publishChain(stores.open(), 1, undefined, 9);
    const server = stores.open();
    await server.advanceRefs(repo, async () => ({ main: second!.oid, head: second!.oid }));
    await assert.rejects(server.materialize(repo), { code: "object_missing" });
  });

  it("reads a copy that is damaged or cut off from the object store again", async () => {
    const stores = await newStores();
    const name = "damaged";
    const store = stores.open(name);
    const { oid, digest } = await store.writeCommit(
      repo,
      draft([textFile("SKILL.md", "# Kept\n".repeat(2000)), textFile("b.txt", "b".repeat(9000))]),
    );
    await store.close();
    const copies = readdirSync(join(folder, name), { recursive: true, encoding: "utf8" });
    const pack = join(
      folder,
      name,
      copies.find((file) => file.endsWith(".pack"))!,
    );
    const index = join(
      folder,
      name,
      copies.find((file) => file.endsWith(".idx"))!,
    );
    const [packBytes, indexBytes] = [await readFile(pack), await readFile(index)];
    for (const [path, bytes] of [
      [pack, Buffer.alloc(packBytes.length)],
      [pack, packBytes.subarray(0, 100)],
      [index, Buffer.alloc(indexBytes.length)],
      [index, Buffer.alloc(0)],
    ] as const) {
      await chmod(path, 0o644);
      await writeFile(path, bytes);

      const fresh = stores.open(name);
      await fresh.verify(repo, oid, digest);
      await fresh.close();

      assert.deepEqual([await readFile(pack), await readFile(index)], [packBytes, indexBytes]);
    }
  });

  it("publishes and reads without a disk for copies", async () => {
    const stores = await newStores();
    const chain = await publishChain(stores.open(), 3);
    // Below a file, no folder can be created.
    await writeFile(join(folder, "a-file"), "");
    const store = stores.open("a-file/cache");

    for (const { oid, digest } of chain) await store.verify(repo, oid, digest);
    const next = await store.writeCommit(repo, draft([textFile("SKILL.md", "four\n")], chain.at(-1)!.oid, 4));
    await stores.open().verify(repo, next.oid, next.digest);
  });

  it("keeps the copies within their limit, and those of a repository that is served", async () => {
    const stores = await newStores();
    const writer = stores.open();
    const maxBytes = 400_000;
    const repos = Array.from({ length: 12 }, (_, index) => ({
      ...repo,
      skillId: index.toString(16).padStart(24, "0"),
    }));
    const random = (index: number) => Buffer.alloc(60_000, `${index} ${Math.random()}`).toString("base64url");
    const written: WrittenCommit[] = [];
    for (const [index, one] of repos.entries())
      written.push(
        await writer.writeCommit(
          one,
          draft([textFile("SKILL.md", random(index).repeat(1))], undefined, index),
        ),
      );
    const driver = stores.driver("limited", maxBytes);
    const root = join(folder, "limited");
    const reader = stores.open("limited");
    for (const [index, { oid, digest }] of written.entries()) await reader.verify(repos[index]!, oid, digest);
    await reader.advanceRefs(repos[0]!, async () => ({ main: written[0]!.oid, head: written[0]!.oid }));
    const served = await reader.materialize(repos[0]!);
    await reader.close();
    const before = bytesIn(root);
    const limit = before / 2;
    const tight = stores.driver("limited", limit);

    await tight.copies!.trim();

    assert.ok(bytesIn(root) <= limit, `${bytesIn(root)} of ${before} bytes`);
    assert.equal((await git(served, "rev-list", "--count", "main")).toString(), "1\n");
    const folders = repos.map(({ skillId }) =>
      join(root, "t", repo.tenantId, "s", skillId.slice(-2), `${skillId}.git`),
    );
    const empty = folders.filter((one) => readdirSync(join(one, "objects", "pack")).length === 0);
    assert.ok(empty.length > 0 && !empty.includes(served));
    const past = new Date(Date.now() - 2 * 3_600_000);
    for (const one of empty) await utimes(join(one, "objects", "pack"), past, past);
    await tight.copies!.trim();
    assert.ok(!empty.some((one) => existsSync(one)), "folders without copies are removed");
    const again = stores.open("limited");
    for (const [index, { oid, digest }] of written.entries()) await again.verify(repos[index]!, oid, digest);
    await Promise.all([driver.packs.close(), tight.packs.close()]);
  });

  it("erases on one machine what the others have, against late writers too", async () => {
    const stores = await newStores();
    const [one, other] = [stores.open("erasing"), stores.open("copying")];
    const [first] = await publishChain(one, 1);
    await other.verify(repo, first!.oid, first!.digest);
    const copied = join(folder, "copying", "t", repo.tenantId);

    await one.erase(repo);

    assert.deepEqual(await keysOf(stores, "t/"), []);
    assert.equal(await other.exists(repo), false);
    assert.equal(await other.wasErased(repo), true);
    await assert.rejects(other.writeCommit(repo, draft([textFile("SKILL.md", "late\n")], first!.oid, 2)), {
      code: "repository_missing",
    });
    await assert.rejects(other.writeCommit(repo, draft([textFile("SKILL.md", "new\n")])), {
      code: "repository_missing",
    });
    assert.deepEqual(await keysOf(stores, "t/"), []);
    // A request that the network has kept until now.
    await stores.objects.put(`t/${repo.tenantId}/s/${repo.skillId}/${"0".repeat(40)}`, [Buffer.from("late")]);
    const driver = stores.driver("copying");
    await driver.copies!.trim();
    await driver.packs.close();
    const [entry] = await keysOf(stores, "trash/");
    const earlier = entry!.replace(/\d{8}/, (hour) => String(Number(hour) - 3).padStart(8, "0"));
    await stores.objects.put(earlier, []);
    assert.equal((await other.sweepShared(true)).trash, 0);
    assert.equal((await other.sweepShared()).trash, 1);
    assert.deepEqual(await keysOf(stores, "t/"), []);
    assert.deepEqual(await keysOf(stores, "trash/"), [entry], "an erasure is swept once it is hours old");
    assert.equal(
      existsSync(copied) &&
        readdirSync(copied, { recursive: true }).some((name) => String(name).endsWith(".pack")),
      false,
    );
  });

  it("removes zips of an erased repository from a machine that was off, and has no pack of it", async () => {
    const stores = await newStores();
    const store = stores.open();
    await publishChain(store, 1);
    await store.erase(repo);
    await stores.objects.remove(await keysOf(stores, "trash/"));
    const zips = join(folder, "off", "cache", "zips", repo.tenantId, repo.skillId);
    await mkdir(zips, { recursive: true });
    await writeFile(join(zips, "one.zip"), "text of an erased skill");
    const driver = stores.driver("off");

    await driver.copies!.trim();

    await driver.packs.close();
    assert.equal(existsSync(zips), false);
  });

  it("reads a large pack by ranges, and has a copy of it later", async () => {
    const stores = await newStores();
    const data = Buffer.from(Array.from({ length: 12_000_000 }, (_, index) => (index * 2654435761) >>> 24));
    const files = [textFile("SKILL.md", "large\n"), { path: "data.bin", mode: "100644" as const, data }];
    const { oid, digest } = await stores.open().writeCommit(repo, draft(files));
    const reader = stores.open("ranges");

    assert.equal((await reader.readFile(repo, oid, "SKILL.md"))!.data.toString(), "large\n");

    await reader.verify(repo, oid, digest);
    const zip = await reader.openZip(repo, oid, digest);
    zip.stream.destroy();
    await reader.close();
    const old = new Date(Date.now() - 3_600_000);
    await utimes(join(folder, "ranges"), old, old);
    await stores.open("ranges").verify(repo, oid, digest);
  });
});
