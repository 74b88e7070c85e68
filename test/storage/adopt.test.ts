import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
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

describe("a database of an earlier version", () => {
  let database: Database;
  let place: { url: string; database: string };
  before(async () => {
    const { url, name } = await testDatabase();
    place = { url, database: name };
    database = await openDatabase(url, name);
  });
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
