/** Purging an erased skill from a connected repository: nothing is left once its directory is gone from the branch. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { git } from "../support/native-git.ts";
import { setUpService } from "../support/set-up.ts";
import {
  connectedFixture,
  publish,
  versionsOf,
  type SyncFixture,
  mirrorFolder,
} from "../support/sync/fixture.ts";

const { service } = await setUpService();

/** Edits a skill's text in the repository; returns the commit. */
function edit(fixture: SyncFixture, slug: string, from: string, to: string): string {
  fixture.copy.update();
  const file = `skills/${slug}/SKILL.md`;
  fixture.copy.write(file, fixture.copy.read(file).replace(`\n\n${from}`, `\n\n${to}`));
  return fixture.copy.push(`Say ${to}`);
}

function isInMirror(fixture: SyncFixture, oid: string): boolean {
  const folder = mirrorFolder(service.app, fixture.org.id, fixture.connectionId);
  try {
    git(folder, "cat-file", "-e", oid);
    return true;
  } catch {
    return false;
  }
}

const conflictsOf = async ({ connectionId }: SyncFixture) =>
  (await service.app.storage.syncConflicts.list({ connectionId, limit: 10 })).map(({ skillId }) => skillId);

it("removes it from the mirror and from the conflicts, and later edits still have their authors", async () => {
  let isDiskFull = false;
  const fixture = await connectedFixture(service, (mirrors) => ({
    ...mirrors,
    open(of) {
      const mirror = mirrors.open(of);
      const drop = () => (isDiskFull ? Promise.reject(new Error("the disk is full")) : mirror.drop());
      return { ...mirror, drop };
    },
  }));
  try {
    const skill = await publish(fixture, "Secret", "one");
    const other = await publish(fixture, "Other", "one");
    await fixture.sync();
    edit(fixture, "secret", "one", "theirs");
    await publish(fixture, "Secret", "ours");
    assert.equal(await fixture.sync(), "done");
    assert.deepEqual(await conflictsOf(fixture), [skill.id]);
    const blob = fixture.copy.git("rev-parse", "HEAD:skills/secret/SKILL.md");
    assert.ok(isInMirror(fixture, blob));

    const gone = await service.call("DELETE", `/api/skills/${skill.id}`, { token: fixture.owner.token });
    assert.equal(gone.status, 200);
    await eraseSkill(service.app, { tenantId: fixture.org.id, skillId: skill.id });
    assert.deepEqual(await conflictsOf(fixture), []);
    isDiskFull = true;
    assert.equal(await fixture.sync(), "failed");
    isDiskFull = false;
    assert.ok(isInMirror(fixture, blob));
    assert.equal(await fixture.sync(), "done");

    assert.ok(!isInMirror(fixture, blob));
    assert.equal((await fixture.connection())?.erasures, undefined);
    const commit = edit(fixture, "other", "one", "two");
    assert.ok(!fixture.copy.has("skills/secret"));
    assert.equal(await fixture.sync(), "done");
    const [newest] = await versionsOf(fixture, other.id);
    assert.equal(newest!.message, `Say two (${commit.slice(0, 7)} by Remote Author)`);
    assert.ok(isInMirror(fixture, commit), "it is made afresh once");
  } finally {
    await fixture.close();
  }
});
