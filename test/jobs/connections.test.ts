/** Remains of a removed connection: its mirror, and rows of the sync. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { it } from "node:test";
import { maintainRepos } from "../../workers/maintenance/maintain-repos.ts";
import { setUpService } from "../support/set-up.ts";
import { connectedFixture, publish, type SyncFixture, mirrorFolder } from "../support/sync/fixture.ts";

const dayMs = 86_400_000;

const { service, clock } = await setUpService({ ownQueue: true });

/** A connection with a mirror and a row of each kind. */
async function syncedWorld(): Promise<SyncFixture> {
  const { syncConflicts, syncProposals, syncProposed } = service.app.storage;
  const world = await connectedFixture(service);
  const { id } = await publish(world, "Kept", "text");
  assert.equal(await world.sync(), "done");
  const of = { _id: world.connectionId, tenantId: world.org.id };
  const at = service.app.now();
  const conflict = { skillId: id, path: "skills/kept", winning: 2, losing: 1, commit: "c", at };
  await syncConflicts.record([{ connectionId: of._id, tenantId: of.tenantId, ...conflict }]);
  await syncProposed.putMany(of, 1, [{ skillId: id, since: null, contents: [] }]);
  const proposal = { fence: 1, branch: "b", state: "none", commits: [], skills: 0, updatedAt: at } as const;
  await syncProposals.put({ ...of, ...proposal, commits: [] });
  return world;
}

/** Data of a connection: its mirror, then the number of rows in each collection. */
async function leftOf({ connectionId, org }: SyncFixture) {
  const { app } = service;
  const { syncBases, syncConflicts, syncProposals, syncProposed, syncRuns } = app.storage;
  return [
    existsSync(mirrorFolder(app, org.id, connectionId)),
    await syncBases.count(connectionId),
    (await syncConflicts.list({ connectionId, limit: 10 })).length,
    (await syncProposals.find(connectionId)) === null ? 0 : 1,
    (await syncProposed.listOf(connectionId)).length,
    (await syncRuns.list({ connectionId, limit: 10 })).length,
  ];
}

it("is removed after a day except its history and conflicts, and nothing of a connection that is there", async () => {
  const [kept, ended] = [await syncedWorld(), await syncedWorld()];
  const whole = [true, 1, 1, 1, 1, 1];
  await service.app.storage.connections.removeOfTenant(ended.org.id);

  await maintainRepos(service.app);
  assert.deepEqual([await leftOf(kept), await leftOf(ended)], [whole, whole]);
  clock.aheadMs = 2 * dayMs;
  await maintainRepos(service.app);
  await maintainRepos(service.app);

  assert.deepEqual([await leftOf(kept), await leftOf(ended)], [whole, [false, 0, 1, 0, 0, 1]]);
  clock.aheadMs = 0;
  await kept.close();
  await ended.close();
});
