import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TokenDoc } from "../../storage/credentials/tokens.ts";
import { isDuplicate, newId, openDatabase } from "../../storage/database.ts";
import { openStorage } from "../../storage/index.ts";
import { testDatabase } from "../support/engine.ts";
import { closedAfter } from "../support/set-up.ts";

describe("a database from before tokens of organizations", async () => {
  const { url, name } = await testDatabase();
  const database = await closedAfter(openDatabase(url, name));

  it("gets the slots of each owner at the next start, also at two concurrent starts", async () => {
    const tokens = database.raw.collection("tokens");
    await tokens.createIndex(
      { userId: 1, slot: 1 },
      { unique: true, name: "token_slot", partialFilterExpression: { slot: { $type: "int" } } },
    );
    await tokens.createIndex({ userId: 1, _id: -1 });
    const token = (owner: object, slot: number) =>
      ({ _id: newId(), name: "t", secretHash: newId(), slot, createdAt: new Date(), ...owner }) as TokenDoc;
    await tokens.insertOne(token({ userId: "ada" }, 3) as never);

    const opened = await Promise.all([1, 2].map(() => openStorage({ url, database: name })));

    const [storage] = opened;
    try {
      for (const owner of [{ userId: "bob" }, { tenantId: "one" }, { tenantId: "two" }])
        await storage!.tokens.insert(token(owner, 3));
      for (const owner of [{ userId: "ada" }, { tenantId: "one" }])
        await assert.rejects(storage!.tokens.insert(token(owner, 3)), (error) =>
          isDuplicate(error, "token_place"),
        );
      const indexes = (await tokens.indexes()).map((index) => index.name);
      assert.ok(!indexes.includes("token_slot") && !indexes.includes("userId_1__id_-1"));
    } finally {
      await Promise.all(opened.map((one) => one.close()));
    }
  });
});
