/** Authors of imported edits: the author of the commit, or none if the available history does not contain it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { SyncConflictPayload } from "../../contract/payloads/sync-conflicts.ts";
import {
  setUpSyncFixtures,
  listSkills,
  publish,
  versionsOf,
  type SyncFixture,
} from "../support/sync/fixture.ts";

const { service, withFixture } = await setUpSyncFixtures();

const fresh = "---\nname: fresh\ndescription: New.\n---\n\none\n";

/** A commit that changes no skill. */
function pushUnrelated(fixture: SyncFixture): string {
  fixture.copy.write("notes.txt", `${Math.random()}\n`);
  fixture.copy.git("add", "-A");
  fixture.copy.git("commit", "-q", "--author=Zoe <zoe@example.com>", "-m", "Note something else");
  fixture.copy.git("push", "-q", "origin", "HEAD:main");
  return fixture.copy.git("rev-parse", "HEAD");
}

/** The origin of a version according to its commit, its audit entry and its message. */
async function saidOf(fixture: SyncFixture, skillId: string, number: number) {
  const { app } = service;
  const [row] = (await versionsOf(fixture, skillId)).filter(({ version }) => version === number);
  await service.settled();
  const { oid } = (await app.storage.versions.find(skillId, number))!;
  const { trailers } = await app.repos.readCommit({ tenantId: fixture.org.id, skillId }, oid);
  const events = await app.storage.auditEvents.list(
    {
      log: { tenantId: fixture.org.id },
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

const unattributed = (tip: string) => ({
  message: `Taken from main at ${tip.slice(0, 7)}`,
  trailers: [tip, undefined],
  audit: [tip, undefined],
});

it("names no author for content from before the repository was connected", () =>
  withFixture(async (fixture) => {
    fixture.copy.write("skills/fresh/SKILL.md", fresh);
    fixture.copy.push("Add a skill");
    const tip = pushUnrelated(fixture);
    assert.equal(await fixture.sync(), "done");
    const [skill] = await listSkills(fixture);

    assert.deepEqual(await saidOf(fixture, skill!.id, 1), unattributed(tip));

    fixture.copy.update();
    fixture.copy.write(
      "skills/fresh/SKILL.md",
      fixture.copy.read("skills/fresh/SKILL.md").replace("one", "two"),
    );
    const edit = fixture.copy.push("Say two");
    pushUnrelated(fixture);
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(await saidOf(fixture, skill!.id, 2), {
      message: `Say two (${edit.slice(0, 7)} by Remote Author)`,
      trailers: [edit, "Remote Author"],
      audit: [edit, "Remote Author <remote@example.com>"],
    });
  }));

it("names no author in a conflict either, if the copy of the repository was lost", () =>
  withFixture(async (fixture) => {
    const skill = await publish(fixture, "Both", "one");
    assert.equal(await fixture.sync(), "done");
    fixture.copy.update();
    fixture.copy.write(
      "skills/both/SKILL.md",
      fixture.copy.read("skills/both/SKILL.md").replace("one", "theirs"),
    );
    fixture.copy.push("Say it otherwise");
    const tip = pushUnrelated(fixture);
    await publish(fixture, "Both", "ours");
    await fixture.ports.mirrors.open({ tenantId: fixture.org.id, connectionId: fixture.connectionId }).drop();
    assert.equal(await fixture.sync(), "done");

    assert.deepEqual(await saidOf(fixture, skill.id, 3), unattributed(tip));
    const { data } = await service.call<SyncConflictPayload[]>(
      "GET",
      `/api/tenants/${fixture.org.id}/repo-sync/conflicts`,
      { token: fixture.owner.token },
    );
    assert.deepEqual(
      data.map(({ winning, losing, commit, author }) => [winning, losing, commit, author]),
      [[3, 2, tip, null]],
    );
  }));
