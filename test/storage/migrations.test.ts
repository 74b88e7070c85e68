import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Document } from "mongodb";
import { openDatabase, type Database } from "../../storage/database.ts";
import { migrations, type Migration } from "../../storage/database/migrations/list.ts";
import {
  forgetMigrations,
  migrate,
  migrationsCollection,
} from "../../storage/database/migrations/migrate.ts";
import { noteOverrides } from "../../storage/database/migrations/overrides.ts";
import { importLines } from "../../storage/dump/import-lines.ts";
import { openStorage } from "../../storage/index.ts";
import { testDatabase } from "../support/engine.ts";

/** A database as it was before teams and previous slugs. */
async function older(database: Database): Promise<void> {
  const { raw } = database;
  await raw.dropDatabase();
  const of = (name: string) => raw.collection<Document & { _id: string }>(name);
  await of("tenants").createIndex({ slug: 1 }, { unique: true, name: "tenant_slug" });
  await of("memberships").createIndex({ tenantId: 1, userId: 1 }, { unique: true, name: "membership_once" });
  await of("tenants").insertMany(["acme", "other"].map((slug) => ({ _id: `t-${slug}`, slug, name: slug })));
  await of("users").insertOne({ _id: "u1", username: "ada", emailKey: "a", name: "Ada Byron King" });
  const row = { tenantSlug: "acme", tenantName: "acme", createdAt: new Date() };
  await of("memberships").insertMany([
    { ...row, _id: "m1", tenantId: "t-acme", userId: "u1", role: "owner" },
    { ...row, _id: "m2", tenantId: "t-other", userId: "u1", role: "member" },
    { ...row, _id: "m3", tenantId: "t-other", userId: "gone", role: "owner" },
  ]);
}

describe("a database of an earlier version", async () => {
  const { url, name: databaseName } = await testDatabase();
  const place = { url, database: databaseName };
  const database = await openDatabase(url, databaseName);

  after(async () => {
    await database.raw.dropDatabase();
    await database.close();
  });

  it("has its members, owners and slugs migrated when it is opened", async () => {
    await older(database);

    for (let start = 0; start < 2; start++) {
      const storage = await openStorage(place);
      try {
        const acme = await storage.tenants.findBySlug("acme");
        const [mine] = await storage.memberships.listOfUser("u1");
        const found = await storage.memberships.list({ tenantId: "t-acme", prefix: "ada by", limit: 5 });

        assert.deepEqual([acme?.slugs, acme?.ownerIds], [["acme"], ["u1"]]);
        assert.deepEqual([mine?.teamIds, mine?.username, mine?.active], [[], "ada", true]);
        assert.deepEqual(
          found.map((row) => row._id),
          ["m1"],
        );
        assert.equal(await storage.tenants.dropOwner("t-acme", "u1", new Date()), false);
        const indexes = await database.raw.collection("memberships").indexes();
        assert.ok(!indexes.some((index) => index.name === "membership_once"));
        await assert.rejects(
          storage.tenants.insert({ ...acme!, _id: "t-new", slug: "new", slugs: ["new", "acme"] }),
          /tenant_slugs/,
        );
      } finally {
        await storage.close();
      }
    }
  });

  it("has renamed fields under their current names, also after an interrupted start and in a restored backup", async () => {
    const rows = (name: string) => database.raw.collection<Document & { _id: string }>(name);
    for (const hasIndexes of [true, false]) {
      await database.raw.dropDatabase();
      if (hasIndexes)
        for (const name of ["users", "skills"])
          await rows(name).createIndex({ unsettledAt: 1 }, { sparse: true });
      const since = new Date(0);
      await rows("users").insertOne({ _id: "u1", emailKey: "a", unsettledAt: since });
      const unsettled = { unsettledAt: since, slug: "a", tenantId: "t1", publicId: "a" };
      const named = { effectiveRestrictionId: "f1", slug: "b", tenantId: "t1", publicId: "b" };
      await rows("skills").insertMany([
        { ...unsettled, _id: "s1", governingFolderId: null },
        { ...named, _id: "s2" },
      ]);
      await rows("search_entries").insertOne({ _id: "s1", governingFolderId: "f1" });
      await rows("connectors").insertOne({ _id: "c1", generation: 3 });

      for (let start = 0; start < 2; start++) await (await openStorage(place)).close();

      const [s1, s2] = await rows("skills").find().sort({ _id: 1 }).toArray();
      assert.deepEqual([s1!["effectiveRestrictionId"], s1!["pendingSince"]], [null, since]);
      assert.equal(s2!["effectiveRestrictionId"], "f1");
      const { effectiveRestrictionId } = (await rows("search_entries").findOne({}))!;
      const { credentialsRevision } = (await rows("connectors").findOne({}))!;
      assert.deepEqual([effectiveRestrictionId, credentialsRevision], ["f1", 3]);
      assert.deepEqual((await rows("users").findOne({}))!["pendingSince"], since);
      for (const name of ["users", "skills"]) {
        const keys = (await rows(name).indexes()).flatMap(({ key }) => Object.keys(key as object));
        assert.ok(
          !keys.includes("unsettledAt") && keys.includes("pendingSince"),
          `${name}: ${keys.join(", ")}`,
        );
      }
    }
  });

  it("permits the branch that a person requested after its loss was reported", async () => {
    await database.raw.dropDatabase();
    const lost = { problem: { code: "branch_missing" }, status: "blocked" };
    await database.raw.collection<Document & { _id: string }>("connections").insertMany(
      [
        { ...lost, _id: "requested", wanted: 7, manualWanted: 6, done: 5 },
        { ...lost, _id: "done", wanted: 7, manualWanted: 5, done: 5 },
        { ...lost, _id: "both", wanted: 7, manualWanted: 6, newBranchWanted: 7, done: 5 },
        { _id: "intact", status: "ok", wanted: 7, manualWanted: 6, done: 5 },
      ].map((each) => ({ ...each, tenantId: each._id, repositoryKey: each._id, branch: "main" })),
    );

    for (let start = 0; start < 2; start++) {
      const storage = await openStorage(place);
      try {
        const found = await database.raw.collection("connections").find().sort({ _id: 1 }).toArray();
        assert.deepEqual(
          found.map(({ _id, newBranchWanted }) => [String(_id), newBranchWanted]),
          [
            ["both", 7],
            ["done", undefined],
            ["intact", undefined],
            ["requested", 6],
          ],
        );
        assert.ok(found.every((each) => !("manualWanted" in each)));
      } finally {
        await storage.close();
      }
    }
  });
});

describe("the migrations", async () => {
  const { url, name } = await testDatabase();
  const database = await openDatabase(url, name);
  const state = database.collection<Document & { _id: string }>(migrationsCollection);
  const ran: number[] = [];
  const migration = (number: number, more: Partial<Migration> = {}): Migration => ({
    number,
    name: `the ${number}th`,
    run: async () => void ran.push(number),
    ...more,
  });

  beforeEach(async () => {
    await database.raw.dropDatabase();
    ran.length = 0;
  });
  after(async () => {
    await database.raw.dropDatabase();
    await database.close();
  });

  it("have numbers that rise from 1, so that none was removed or inserted", () => {
    assert.deepEqual(
      migrations.map(({ number }) => number),
      migrations.map((_, index) => index + 1),
    );
  });

  it("run once and in order, in one of several processes that start at the same time", async () => {
    const slow = migration(1, {
      run: async () => {
        await setTimeout(400);
        ran.push(1);
      },
    });
    const list = [slow, migration(2), migration(3)];

    const done = await Promise.all([1, 2, 3].map(() => migrate(database, {}, list)));
    const again = await migrate(database, {}, [...list, migration(4)]);

    assert.deepEqual(ran, [1, 2, 3, 4]);
    assert.equal(done.flat().length, 3);
    assert.deepEqual(
      again.map((each) => each.migration.number),
      [4],
    );
    assert.equal((await state.findOne({}))!["lease"], undefined);
  });

  it("begin again where one failed, and after a process that died with the lease", async () => {
    let isBroken = true;
    const list = [
      migration(1),
      migration(2, {
        run: async () => {
          ran.push(2);
          if (isBroken) throw new Error("the disk is full");
        },
      }),
    ];
    await assert.rejects(migrate(database, {}, list), /the disk is full/);
    isBroken = false;
    await state.updateOne({}, { $set: { lease: { holder: "dead", until: new Date(Date.now() + 600) } } });
    const started = Date.now();

    await migrate(database, {}, list);

    assert.deepEqual(ran, [1, 2, 2]);
    assert.ok(Date.now() - started >= 590, "the lease of another process is waited for");
  });

  it("prevent a release from starting on data that it can't read any more, and only then", async () => {
    const [first, harmless, breaking] = [migration(1), migration(2), migration(3, { isBreaking: true })];
    await migrate(database, {}, [first, harmless]);
    await migrate(database, {}, [first]);
    await migrate(database, {}, [first, harmless, breaking]);

    await assert.rejects(
      migrate(database, {}, [first, harmless]),
      /newer release .*migration 3.*restore a backup/,
    );
    await migrate(database, {}, [first, harmless, breaking]);
    assert.deepEqual(ran, [1, 2, 3]);
  });

  it("record which versions were released against their scans", async () => {
    const of = (collection: string) => database.raw.collection<Document & { _id: string }>(collection);
    const marks = [1, 2].map((version) => ({ version, semver: `1.0.${version}`, verdict: "malicious" }));
    await of("skills").insertOne({ _id: "s1", marks });
    await of("version_scans").insertMany([
      { _id: "a", skillId: "s1", version: 1 },
      { _id: "b", skillId: "s1", version: 2, override: { verdict: "malicious" } },
    ]);

    for (let time = 0; time < 2; time++) await noteOverrides(database);

    const skill = await of("skills").findOne({ _id: "s1" });
    assert.deepEqual(
      (skill!["marks"] as { accepted?: string }[]).map(({ accepted }) => accepted),
      [undefined, "malicious"],
    );
  });

  it("run again after an import, whose documents may be those of an earlier release", async () => {
    await (await openStorage({ url, database: name })).close();
    const numbers: number[] = [];
    const open = async () =>
      (
        await openStorage({
          url,
          database: name,
          onMigrated: (done) => void numbers.push(done.migration.number),
        })
      ).close();
    await open();
    assert.deepEqual(numbers, []);

    await forgetMigrations(database);
    await open();

    assert.deepEqual(
      numbers,
      migrations.map(({ number }) => number),
    );
  });

  it("leave an interrupted import as it is, and run on all of its documents once it is complete", async () => {
    const row = { tenantId: "t1", date: "2026-01-01", cli: 1 };
    const documents = ["s1", "s2"].map((skillId) => ({ _id: skillId, skillId, ...row }));
    const lines = [
      { format: "svc-export", version: 1, exportedAt: "2026-01-01T00:00:00.000Z" },
      ...documents.map((document) => ({ in: "daily_downloads", document })),
      { in: "connections", document: { _id: "c1", manualWanted: 6, done: 5 } },
    ].map((line) => JSON.stringify(line));
    const read = async function* (isCut: boolean): AsyncGenerator<string> {
      yield* isCut ? lines.slice(0, 2) : lines;
      if (isCut) throw new Error("cut");
    };
    const open = async () => (await openStorage({ url, database: name })).close();
    await open();
    await assert.rejects(importLines(database, read(true)), /cut/);

    await open();
    await importLines(database, read(false));
    await open();

    const [connection] = await database.raw.collection("connections").find().toArray();
    assert.equal(connection!["manualWanted"], undefined, JSON.stringify(connection));
    const [total] = await database.raw.collection("daily_tenant_downloads").find().toArray();
    assert.equal(total!["cli"], 2, JSON.stringify(total));
  });
});
