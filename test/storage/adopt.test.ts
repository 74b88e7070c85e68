import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Document } from "mongodb";
import { openDatabase, type Database } from "../../storage/database.ts";
import { openStorage } from "../../storage/index.ts";
import { testDatabase } from "../support/engine.ts";

/** A database as it was before teams and former slugs. */
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
