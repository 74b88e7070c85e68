import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { exportLines } from "../../storage/dump.ts";
import { openStorage, type Storage } from "../../storage/index.ts";
import { emptyDatabase, testDatabase } from "../support/engine.ts";

let storage: Storage;
before(async () => {
  const { url, name } = await testDatabase();
  storage = await openStorage({ url, database: name });
  await emptyDatabase(storage.database.raw);
});
after(() => storage.close());

describe("an export", () => {
  it("reads referenced documents after the document, so that a concurrent change is complete in it", async () => {
    const order: string[] = [];
    for await (const line of exportLines(storage.database, new Date())) {
      const { collection } = JSON.parse(line) as { collection?: string };
      if (collection !== undefined) order.push(collection);
    }

    const first = [
      "skills",
      "anonymous_identities",
      "tenants",
      "tokens",
      "oauth_grants",
      "service_settings",
      "users",
    ];
    assert.deepEqual(order.slice(0, first.length), first);
    for (const derived of ["audit_events", "manifests", "memberships", "search_entries", "versions"])
      assert.ok(order.indexOf(derived) >= first.length, derived);
    for (const [point, derived] of [
      ["invitations", "memberships"],
      ["folder_trees", "folders"],
      ...["memberships", "teams", "roles", "folder_trees", "workspaces", "workspace_settings"].map(
        (name) => [name, "audit_events"] as const,
      ),
    ] as const)
      assert.ok(order.indexOf(point) < order.indexOf(derived), `${point} before ${derived}`);
  });
});
