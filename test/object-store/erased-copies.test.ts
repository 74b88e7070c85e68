import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { describe, it } from "node:test";
import { openObjectStore } from "../../repos/object-store/s3.ts";
import { openPosixDriver } from "../../repos/store/posix/posix.ts";
import { packKey } from "../../repos/store/remote/keys.ts";
import { PackCache } from "../../repos/store/remote/pack-cache.ts";
import { footerOf } from "../../repos/store/remote/pack-object.ts";
import type { StoredId } from "../../repos/store/types.ts";
import { somePack } from "../store/driver-contract.ts";
import { temporaryFolder } from "../store/fixtures.ts";
import { newBucket, whyNoObjectStore } from "../support/object-store.ts";

describe("copies of an erased repository", { skip: whyNoObjectStore() ?? false }, () => {
  it("are gone if they were being written, and are not written by reads that began before", async (t) => {
    const root = await temporaryFolder();
    t.after(() => rm(root, { recursive: true, force: true }));
    const { packs: local } = openPosixDriver({ root, readHandles: 16, staleLockMs: 10_000 });
    const objects = openObjectStore(await newBucket());
    t.after(() => objects.close());
    let disk = Promise.resolve();
    const cache = new PackCache({
      root,
      objects: {
        ...objects,
        // An answer that is on its way while the object is removed.
        async getRange(...args) {
          const found = await objects.getRange(...args);
          await disk;
          return found;
        },
      },
      local: {
        ...local,
        async put(...args) {
          await disk;
          return local.put(...args);
        },
      },
      maxBytes: 1024 ** 3,
      log: (line) => assert.fail(JSON.stringify(line)),
      onWritten: () => undefined,
      onFull: () => undefined,
    });
    const { pack, pieces, index } = somePack();
    const packBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const footer = footerOf({ packBytes, indexBytes: index.length });
    const ids = () => randomBytes(12).toString("hex");
    const [written, read] = [1, 2].map(() => ({ tenantId: ids(), skillId: ids() })) as [StoredId, StoredId];
    await objects.put(packKey(read, pack), [...pieces, index, footer]);
    let isFree = () => {};
    disk = new Promise<void>((resolve) => (isFree = resolve));

    await cache.keep(written, pack, pieces, index);
    const reading = cache.read(read, pack, 0, 4);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await objects.remove([packKey(read, pack)]);
    const erasing = [written, read].map((repo) => cache.erase(repo));
    isFree();
    await Promise.all(erasing);
    assert.equal((await reading).toString(), "PACK");
    await cache.close();

    for (const repo of [written, read]) {
      assert.equal(await local.exists(repo), false);
      await assert.rejects(cache.read(repo, pack, 0, 4), { code: "pack_vanished" });
    }
  });
});
