/** `backup` and `restore`, onto both kinds of stores. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { openObjectStore } from "../../repos/object-store/s3.ts";
import type { ObjectStoreOptions } from "../../repos/object-store/types.ts";
import type { Stores } from "../../src/app.ts";
import type { Config } from "../../src/config.ts";
import { openLog } from "../../src/log.ts";
import { closeStores, openStores } from "../../src/open.ts";
import { backUp } from "../../src/operations/backup/backup.ts";
import {
  gitFolder,
  openBackups,
  pointFolder,
  type BackupLocation,
} from "../../src/operations/backup/location.ts";
import { listPoints } from "../../src/operations/backup/points.ts";
import { restore } from "../../src/operations/backup/restore.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { emptyDatabase, testDatabase } from "../support/engine.ts";
import { newBucket, whyNoObjectStore } from "../support/object-store.ts";
import { runCount } from "../support/run-count.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { startWriters } from "./writers.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-backups-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const { service, clock, owner, org } = await setUpOrganization();
const { url: mongodbUrl, name: mongodbDatabase } = await testDatabase();
let installations = 0;

/** An empty installation with other stores, which `use` restores into. */
async function into<T>(
  use: (stores: Awaited<ReturnType<typeof openStores>>) => Promise<T>,
  config: Partial<Config> = {},
): Promise<T> {
  const dataDir = path.join(folder, `installation-${++installations}`);
  const places = { dataDir, gitRoot: path.join(dataDir, "git"), cacheDir: path.join(dataDir, "cache") };
  const open = () =>
    openStores({
      config: { ...service.app.config, ...places, mongodbDatabase, ...config },
      log: openLog("silent"),
      mongodbUrl,
    });
  const emptied = await open();
  await emptyDatabase(emptied.storage.database.raw);
  await closeStores(emptied);
  const stores = await open();
  try {
    return await use(stores);
  } finally {
    await closeStores(stores);
  }
}

const backups = (name: string) => path.join(folder, name);

/** Opens a backup location, by default a folder of this name. */
async function atLocation<T>(
  location: string | ObjectStoreOptions,
  use: (location: BackupLocation) => Promise<T>,
  isWritten = false,
): Promise<T> {
  const address = typeof location === "string" ? backups(location) : location;
  const opened = await openBackups(service.app.config, address, isWritten);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}
const pointsIn = (location: string | ObjectStoreOptions) => atLocation(location, listPoints);
const restoreFrom = (stores: Stores, location: string | ObjectStoreOptions, point?: string) =>
  atLocation(location, (from) => restore(stores, from, point));
const backUpNow = (location: string | ObjectStoreOptions, keep = 7) =>
  atLocation(location, (opened) => backUp(service.app, { into: opened, keep, release: "1.2.3" }), true);

async function backUpInto(location: string | ObjectStoreOptions, keep = 7) {
  await service.settled();
  clock.advance(1000);
  return backUpNow(location, keep);
}

const isLeft = (name: string) => !name.includes("lock");

async function publish(name: string, content = `first of ${name}\n`): Promise<string> {
  const answer = await service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.id, name, content },
  });
  assert.equal(answer.status, 201);
  return answer.data.skill.id;
}

async function change(skillId: string, content: string): Promise<void> {
  const answer = await service.call("POST", `/api/skills/${skillId}/versions`, {
    token: owner.token,
    body: { content },
  });
  assert.equal(answer.status, 201);
}

describe("a backup while skills are written, changed and deleted", () => {
  it("is restored with every acknowledged version, onto a file system and onto an object store", async () => {
    const writers = await startWriters(service, owner, org.id);
    await until("some versions", () => writers.count() > 60);
    const before = new Map(writers.acknowledged);
    const made = await backUpNow("writes");
    await until("further versions", () => writers.count() > runCount(200, 5_000), { timeoutMs: 600_000 });
    await writers.stop();
    assert.deepEqual(made.faults, []);
    assert.ok(made.copied > 60 && made.bytes > 0);

    const restoreAll = async (config: Partial<Config>) =>
      into(async (stores) => {
        const restored = await restoreFrom(stores, "writes");
        assert.deepEqual(restored.report.faults, []);
        assert.ok(restored.report.versions > 60);
        for (const skillId of writers.kept) {
          const skill = await stores.storage.skills.find(skillId);
          assert.ok(skill!.head.version >= before.get(skillId)!, "versions acknowledged before the backup");
        }
      }, config);
    await restoreAll({});
    if (whyNoObjectStore() === undefined) await restoreAll({ gitStore: await newBucket() });
  });

  it("copies only packs that no earlier one has, and forgets those that none needs", async () => {
    const [kept, deleted] = [await publish("kept"), await publish("deleted")];
    const first = await backUpInto("several");
    await change(kept, "second\n");
    const second = await backUpInto("several");
    assert.equal(second.copied, 1);
    const again = await backUpInto("several");
    assert.equal(again.copied, 0);
    assert.equal((await pointsIn("several")).length, 3);

    await service.call("DELETE", `/api/skills/${deleted}`, { token: owner.token });
    await eraseSkill(service.app, { tenantId: org.id, skillId: deleted });
    await backUpInto("several", 2);
    const has = () =>
      readdirSync(gitFolder(backups("several")), { recursive: true }).some((name) =>
        String(name).includes(deleted),
      );
    assert.ok(has(), "an earlier point still needs it");
    await backUpInto("several", 1);
    assert.ok(!has(), "its content is gone with the last point that had it");
    assert.equal((await pointsIn("several")).length, 1);
    assert.ok(first.name < second.name);
  });

  it("is made although an earlier one has lost its list, and then removes nothing", async () => {
    await publish("listless");
    const { name } = await backUpInto("listless");
    rmSync(path.join(pointFolder(backups("listless"), name), "packs.ndjson"));
    const { faults } = await backUpInto("listless");
    assert.match(faults.join(), /packs\.ndjson .* is missing/);
    assert.equal((await pointsIn("listless")).length, 2);
  });

  it("restores an earlier point by its name", async () => {
    const skillId = await publish("earlier");
    const { name } = await backUpInto("points");
    await change(skillId, "later\n");
    await backUpInto("points");
    const versionAt = (point?: string) =>
      into(async (stores) => {
        await restoreFrom(stores, "points", point);
        return (await stores.storage.skills.find(skillId))!.head.version;
      });

    assert.deepEqual([await versionAt(name), await versionAt()], [1, 2]);
    await assert.rejects(versionAt("2020"), /no complete backup named 2020\. There are /);
  });
});

describe("backups in a bucket", { skip: whyNoObjectStore() ?? false }, () => {
  it("are restored onto another kind of store, by name, and hold each pack once", async () => {
    const bucket = await newBucket();
    const skillId = await publish("bucket");
    const first = await backUpInto(bucket);
    await change(skillId, "second\n");
    const second = await backUpInto(bucket);
    assert.equal(second.copied, 1);

    assert.deepEqual(
      (await pointsIn(bucket)).map(({ name }) => name),
      [second.name, first.name],
    );
    const versionAt = (point?: string) =>
      into(async (stores) => {
        assert.deepEqual((await restoreFrom(stores, bucket, point)).report.faults, []);
        return (await stores.storage.skills.find(skillId))!.head.version;
      });
    assert.deepEqual([await versionAt(first.name), await versionAt()], [1, 2]);
    assert.deepEqual(readdirSync(path.join(service.app.config.cacheDir, "backups")).filter(isLeft), []);
  });

  it("keep what a backup of another machine has begun to write, for a day", async () => {
    const bucket = await newBucket();
    const skillId = await publish("shared-bucket");
    await backUpInto(bucket);
    const running = clock.now().toISOString().replace(/[:.]/g, "-");
    await atLocation(bucket, (location) => location.begin(running), true);
    await service.call("DELETE", `/api/skills/${skillId}`, { token: owner.token });
    await eraseSkill(service.app, { tenantId: org.id, skillId });
    const has = async () => {
      const { location } = bucket;
      const objects = openObjectStore({
        ...bucket,
        location: { ...location, prefix: `${location.prefix}git/` },
      });
      try {
        return await objects.hasAny(`t/${org.id}/s/${skillId}/`);
      } finally {
        objects.close();
      }
    };

    await backUpInto(bucket, 1);
    assert.ok(await has());
    await assert.rejects(
      atLocation(
        bucket,
        async (location) =>
          backUp(service.app, {
            into: { ...location, hasBegun: () => location.hasBegun("removed") },
            keep: 7,
            release: "1.2.3",
          }),
        true,
      ),
      /removed this backup/,
    );
    clock.advance(25 * 3_600_000);
    await backUpInto(bucket, 1);
    assert.ok(!(await has()));
    assert.equal((await atLocation(bucket, (location) => location.pointNames())).length, 1);
  });
});

describe("a restore", () => {
  it("is refused into an installation that is not empty, which it does not change", async () => {
    await publish("there");
    await backUpInto("full");

    await assert.rejects(restoreFrom(service.app, "full"), /The database is not empty/);
    await into(async (stores) => {
      await restoreFrom(stores, "full");
      const { database } = stores.storage;
      await emptyDatabase(database.raw);
      await assert.rejects(restoreFrom(stores, "full"), /has repositories already/);
    });
  });

  it("refuses damaged files, packs and manifests by name", async () => {
    await publish("damaged");
    const { name } = await backUpInto("damaged");
    const point = pointFolder(backups("damaged"), name);
    const packs = readdirSync(gitFolder(backups("damaged")), { recursive: true, encoding: "utf8" });
    const pack = path.join(
      gitFolder(backups("damaged")),
      packs.find((file) => file.endsWith(".pack"))!,
    );
    chmodSync(pack, 0o644);
    const { size } = statSync(pack);
    writeFileSync(pack, Buffer.alloc(size, 1));
    await assert.rejects(
      into((stores) => restoreFrom(stores, "damaged")),
      /The backup of \S+ is damaged: /,
    );
    appendFileSync(path.join(point, "packs.ndjson"), "{}\n");
    await assert.rejects(
      into((stores) => restoreFrom(stores, "damaged")),
      /packs\.ndjson .* is damaged/,
    );
    writeFileSync(path.join(point, "manifest.json"), '{"format":"svc-backup","version":2}');
    await assert.rejects(
      into((stores) => restoreFrom(stores, "damaged")),
      /is that of a newer release/,
    );
  });

  it("continues after it was interrupted, and the service does not start before its end", async () => {
    await publish("interrupted");
    await backUpInto("interrupted");
    await into(async (stores) => {
      const { repos } = stores;
      const verify = repos.verify.bind(repos);
      repos.verify = () => {
        throw new Error("killed");
      };
      const unfinished = () => stores.storage.database.raw.collection("imports").countDocuments();
      await assert.rejects(restoreFrom(stores, "nothing"), /There is no complete backup\.$/);
      assert.equal(await unfinished(), 0);
      await assert.rejects(restoreFrom(stores, "interrupted"), /killed/);
      repos.verify = verify;
      await assert.rejects(restoreFrom(stores, "interrupted"), /not empty/);
    });
  });
});
