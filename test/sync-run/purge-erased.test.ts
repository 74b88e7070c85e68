/** Purging an erased skill from a connected repository: nothing is left once its directory is gone from the branch. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, it } from "node:test";
import { eraseSkill } from "../../src/skills/erase.ts";
import { git } from "../support/native-git.ts";
import { startService, type TestService } from "../support/service.ts";
import { connectedWorld, publish, versionsOf, type SyncWorld } from "../support/sync/fixture.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** Edits a skill's text in the repository; returns the commit. */
function edit(world: SyncWorld, slug: string, from: string, to: string): string {
  world.copy.update();
  const file = `skills/${slug}/SKILL.md`;
  world.copy.write(file, world.copy.read(file).replace(`\n\n${from}`, `\n\n${to}`));
  return world.copy.push(`Say ${to}`);
}

function isInMirror(world: SyncWorld, oid: string): boolean {
  const folder = path.join(
    service.app.config.gitRoot,
    "t",
    world.org.id,
    "mirror",
    `${world.connectionId}.git`,
  );
  try {
    git(folder, "cat-file", "-e", oid);
    return true;
  } catch {
    return false;
  }
}

const conflictsOf = async ({ connectionId }: SyncWorld) =>
  (await service.app.storage.syncConflicts.list({ connectionId, limit: 10 })).map(({ skillId }) => skillId);

it("removes it from the mirror and from the conflicts, and later edits still have their authors", async () => {
  let isDiskFull = false;
  const world = await connectedWorld(service, (mirrors) => ({
    ...mirrors,
    open(of) {
      const mirror = mirrors.open(of);
      const drop = () => (isDiskFull ? Promise.reject(new Error("the disk is full")) : mirror.drop());
      return { ...mirror, drop };
    },
  }));
  try {
    const skill = await publish(world, "Secret", "one");
    const other = await publish(world, "Other", "one");
    await world.sync();
    edit(world, "secret", "one", "theirs");
    await publish(world, "Secret", "ours");
    assert.equal(await world.sync(), "done");
    assert.deepEqual(await conflictsOf(world), [skill.id]);
    const blob = world.copy.git("rev-parse", "HEAD:skills/secret/SKILL.md");
    assert.ok(isInMirror(world, blob));

    const gone = await service.call("DELETE", `/api/skills/${skill.id}`, { token: world.owner.token });
    assert.equal(gone.status, 200);
    await eraseSkill(service.app, { tenantId: world.org.id, skillId: skill.id });
    assert.deepEqual(await conflictsOf(world), []);
    isDiskFull = true;
    assert.equal(await world.sync(), "failed");
    isDiskFull = false;
    assert.ok(isInMirror(world, blob));
    assert.equal(await world.sync(), "done");

    assert.ok(!isInMirror(world, blob));
    assert.equal((await world.connection())?.erasures, undefined);
    const commit = edit(world, "other", "one", "two");
    assert.ok(!world.copy.has("skills/secret"));
    assert.equal(await world.sync(), "done");
    const [newest] = await versionsOf(world, other.id);
    assert.equal(newest!.message, `Say two (${commit.slice(0, 7)} by Gita)`);
    assert.ok(isInMirror(world, commit), "it is made afresh once");
  } finally {
    await world.close();
  }
});
