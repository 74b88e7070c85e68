import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { MongoServerError, type CommandStartedEvent } from "mongodb";
import { openDatabase } from "../../storage/database.ts";
import { ensureIndexes } from "../../storage/database/indexes.ts";
import { declaredIndexes, openStorage } from "../../storage/index.ts";
import { testDatabase } from "../support/engine.ts";
import { withCommandEvents } from "../support/round-trips.ts";

let created: string[] = [];

const { url, name: databaseName } = await testDatabase();
const storage = await openStorage({ url, database: databaseName });
await storage.close();
const database = await openDatabase(withCommandEvents(url), databaseName);
database.raw.client.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
  if (commandName !== "createIndexes") return;
  const names = (command["indexes"] as { name: string }[]).map((index) => index.name);
  created.push(`${String(command["createIndexes"])}: ${names.join(", ")}`);
});

after(async () => {
  await database.raw.dropDatabase();
  await database.close();
});
beforeEach(() => (created = []));

const names = async (collection: string) =>
  (await database.raw.collection(collection).indexes()).map(({ name }) => name);

describe("indexes when a database is opened", () => {
  it("are not created if they exist", async () => {
    await database.ensureIndexes(declaredIndexes);

    assert.deepEqual(created, []);
  });

  it("are created if they were dropped, and no others", async () => {
    await database.raw.collection("users").dropIndex("user_suspended");
    await database.raw.collection("tenants").drop();

    await database.ensureIndexes(declaredIndexes);

    const ofTenants = declaredIndexes["tenants"]!.length;
    const [tenants, users, ...others] = created.toSorted();
    assert.equal(users, "users: user_suspended");
    assert.match(tenants!, /^tenants: /);
    assert.equal(tenants!.split(", ").length, ofTenants);
    assert.deepEqual(others, []);
    assert.ok((await names("users")).includes("user_suspended"));
    assert.equal((await names("tenants")).length, ofTenants + 1);
  });

  it("are reported if one has the name of a declared index and other options", async () => {
    const sparse = { key: { size: 1 as const }, name: "by_size", sparse: true };
    await database.ensureIndexes({ boxes: [sparse] });

    await assert.rejects(
      database.ensureIndexes({ boxes: [{ ...sparse, sparse: false }] }),
      /same name as the requested index/,
    );
    await assert.rejects(
      database.ensureIndexes({ boxes: [{ ...sparse, key: { weight: 1 } }] }),
      /same name as the requested index/,
    );
  });

  it("are created by a user who may not read the catalog of the server", async () => {
    await database.raw.collection("users").dropIndex("user_suspended");
    const refused = new MongoServerError({ message: "not authorized on admin", code: 13 });

    // The embedded engine has no users.
    await ensureIndexes(database.raw, declaredIndexes, () => Promise.reject(refused));

    assert.equal(created.length, Object.values(declaredIndexes).filter(({ length }) => length > 0).length);
    assert.ok((await names("users")).includes("user_suspended"));
  });
});
