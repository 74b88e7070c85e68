import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WorkspacePayload } from "../../contract/payloads/organizations/workspaces.ts";
import { workspaceStates } from "../../contract/vocabulary.ts";
import type { FolderDoc } from "../../storage/folders/folders.ts";
import type { WorkspaceDoc } from "../../storage/workspaces/workspaces.ts";
import { reconcileWorkspaces } from "../../workers/workspaces/reconcile-workspaces.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture } from "./fixture.ts";

const rowCount = 1500;

const { service } = await setUpService({ reportsCommands: true });
const fixture = await makeFixture(service);
const [alice, leaver] = [await fixture.join(), await fixture.join()];
await fixture.enable();
await fixture.publish(alice, "First");
await fixture.leave(leaver);
await service.settled();
await multiply();

/** Many workspaces, of this organization and of others, containing skills of the same name. */
async function multiply(): Promise<void> {
  const { app } = service;
  const { raw } = app.storage.database;
  const row = (await app.storage.workspaces.find(fixture.org.id, alice.id))!;
  const folder = (await app.storage.folders.find(row.folderId))!;
  const [skill] = await raw.collection("skills").find({ folderId: folder._id }).toArray();
  const rows: WorkspaceDoc[] = [];
  const folders: FolderDoc[] = [];
  const skills: object[] = [];
  for (let i = 0; i < rowCount; i++) {
    const [tenantId, userId, folderId, skillId] = [
      i % 3 === 0 ? "other" : fixture.org.id,
      app.newId(),
      app.newId(),
      app.newId(),
    ];
    const state = workspaceStates[i % workspaceStates.length]!;
    rows.push({ ...row, _id: app.newId(), tenantId, userId, folderId, state });
    const managed = { kind: "workspace" as const, userId };
    folders.push({
      ...folder,
      _id: folderId,
      tenantId,
      slug: `copy-${i}`,
      name: `copy-${i}`,
      managed,
      revision: 50,
    });
    const copy = { publicId: skillId.slice(-10), slug: `first-copy-${i}`, folderId, tenantId };
    skills.push({ ...skill, _id: skillId, ...copy, effectiveRestrictionId: folderId });
  }
  await raw.collection<WorkspaceDoc>("workspaces").insertMany(rows);
  await raw.collection<FolderDoc>("folders").insertMany(folders);
  await raw.collection("skills").insertMany(skills);
  await raw
    .collection<{ _id: string }>("folder_trees")
    .updateOne({ _id: fixture.org.id }, { $set: { revision: 50 } });
  // The first query reads the whole tree once.
  await fixture.overview();
}

describe("the plans of queries about 1,500 workspaces", () => {
  it("list and count by index only", async () => {
    const plans = await plansOf(service, async () => {
      for (const state of ["", ...workspaceStates.map((one) => `&state=${one}`)]) {
        const first = await fixture.at<WorkspacePayload[]>(fixture.owner, "GET", `/members?limit=20${state}`);
        const more = `/members?limit=20${state}&cursor=${first.nextCursor}`;
        if (first.nextCursor !== null)
          assert.equal((await fixture.at(fixture.owner, "GET", more)).status, 200);
      }
    });
    const overviews = await plansOf(service, () =>
      Promise.all([fixture.overview(), fixture.overview(alice)]),
    );

    assertIndexed(plans, 25);
    assertIndexed(overviews, 60);
    for (const { command, stages } of [...plans, ...overviews].filter(
      (plan) => plan.command["find"] === "workspaces",
    ))
      assert.ok(!stages.includes("SORT"), `${stages.join(" ")} of ${JSON.stringify(command)}`);
  });

  it("publish to and list the caller's own by index only, however many others have skills of that name", async () => {
    const plans = await plansOf(service, async () => {
      const again = await fixture.publish(alice, "First", { content: "again\n" });
      assert.equal(again.data.action, "updated");
      assert.deepEqual(await fixture.skills(alice, "&personal=true"), ["first"]);
    });

    assertIndexed(plans, 30);
  });

  it("publish elsewhere without reading the skills of that name in workspaces", async () => {
    const made = await fixture.publish(fixture.owner, "First", { personal: undefined, content: "root\n" });
    assert.equal(made.data.action, "created");
    const plans = await plansOf(service, async () => {
      const again = await fixture.publish(fixture.owner, "First", { personal: undefined, content: "more\n" });
      assert.deepEqual([again.data.action, again.data.skill.id], ["updated", made.data.skill.id]);
    });

    assertIndexed(plans, 1100);
  });

  it("leave, rejoin, reassign and reconcile by index only", async () => {
    const bob = await fixture.join();
    await fixture.sync();
    const plans = await plansOf(service, async () => {
      await fixture.leave(bob);
      await fixture.at(fixture.owner, "POST", "/retry", { userId: alice.id });
      await fixture.at(fixture.owner, "POST", "/reassign", { userId: bob.id, toUserId: alice.id });
      await fixture.at(fixture.owner, "DELETE", `/members/${leaver.id}`);
      await reconcileWorkspaces(service.app, service.app.now());
    });

    assertIndexed(plans, 120);
  });

  it("sync and repair in batches, by index only", async () => {
    const plans = await plansOf(service, async () => {
      await fixture.sync();
      await fixture.at(fixture.owner, "POST", "/repair", {});
    });

    // The plans are read after the last call, when all changes of the tree are stored.
    assertIndexed(plans, 1100);
  });
});
