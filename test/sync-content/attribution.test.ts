/** Authors of imported edits: the author of the commit, or none if the available history does not contain it. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { SyncConflictPayload } from "../../contract/payloads/sync.ts";
import { startService, type TestService } from "../support/service.ts";
import { inWorld, listSkills, publish, versionsOf, type SyncWorld } from "../support/sync/fixture.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const withWorld = (test: (world: SyncWorld) => Promise<void>) => inWorld(service, test);

const fresh = "---\nname: fresh\ndescription: New.\n---\n\none\n";

/** A commit that changes no skill. */
function pushUnrelated(world: SyncWorld): string {
  world.copy.write("notes.txt", `${Math.random()}\n`);
  world.copy.git("add", "-A");
  world.copy.git("commit", "-q", "--author=Zoe <zoe@example.com>", "-m", "Note something else");
  world.copy.git("push", "-q", "origin", "HEAD:main");
  return world.copy.git("rev-parse", "HEAD");
}

/** The origin of a version according to its commit, its audit entry and its message. */
async function saidOf(world: SyncWorld, skillId: string, number: number) {
  const { app } = service;
  const [row] = (await versionsOf(world, skillId)).filter(({ version }) => version === number);
  await service.settled();
  const { oid } = (await app.storage.versions.find(skillId, number))!;
  const { trailers } = await app.repos.readCommit({ tenantId: world.org.id, skillId }, oid);
  const events = await app.storage.auditEvents.list(
    {
      log: { tenantId: world.org.id },
      from: new Date(0),
      names: ["skill.version_imported", "skill.created_via_import"],
    },
    0,
    100,
  );
  const metadata = events.find((event) => event.metadata?.["commit"] === oid)?.metadata ?? {};
  return {
    message: row!.message,
    trailers: [trailers["Svc-Import-Commit"], trailers["Svc-Import-Author"]],
    audit: [metadata["remoteCommit"], metadata["author"]],
  };
}

const nobodys = (tip: string) => ({
  message: `Taken from main at ${tip.slice(0, 7)}`,
  trailers: [tip, undefined],
  audit: [tip, undefined],
});

it("names no author for content from before the repository was connected", () =>
  withWorld(async (world) => {
    world.copy.write("skills/fresh/SKILL.md", fresh);
    world.copy.push("Add a skill");
    const tip = pushUnrelated(world);
    assert.equal(await world.sync(), "done");
    const [skill] = await listSkills(world);

    assert.deepEqual(await saidOf(world, skill!.id, 1), nobodys(tip));

    world.copy.update();
    world.copy.write("skills/fresh/SKILL.md", world.copy.read("skills/fresh/SKILL.md").replace("one", "two"));
    const edit = world.copy.push("Say two");
    pushUnrelated(world);
    assert.equal(await world.sync(), "done");
    assert.deepEqual(await saidOf(world, skill!.id, 2), {
      message: `Say two (${edit.slice(0, 7)} by Gita)`,
      trailers: [edit, "Gita"],
      audit: [edit, "Gita <gita@example.com>"],
    });
  }));

it("names no author in a conflict either, if the copy of the repository was lost", () =>
  withWorld(async (world) => {
    const skill = await publish(world, "Both", "one");
    assert.equal(await world.sync(), "done");
    world.copy.update();
    world.copy.write(
      "skills/both/SKILL.md",
      world.copy.read("skills/both/SKILL.md").replace("one", "theirs"),
    );
    world.copy.push("Say it otherwise");
    const tip = pushUnrelated(world);
    await publish(world, "Both", "ours");
    await world.ports.mirrors.open({ tenantId: world.org.id, connectionId: world.connectionId }).drop();
    assert.equal(await world.sync(), "done");

    assert.deepEqual(await saidOf(world, skill.id, 3), nobodys(tip));
    const { data } = await service.call<SyncConflictPayload[]>(
      "GET",
      `/api/tenants/${world.org.id}/repo-sync/conflicts`,
      { token: world.owner.token },
    );
    assert.deepEqual(
      data.map(({ winning, losing, commit, author }) => [winning, losing, commit, author]),
      [[3, 2, tip, null]],
    );
  }));
