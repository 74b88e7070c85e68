/** Folders of skills: imported folders, and changes to folders while a sync runs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../src/app.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { newFolder } from "../support/organization.ts";
import { interrupted } from "../support/sync/crash-points.ts";
import {
  setUpSyncFixtures,
  listSkills,
  publish,
  skillDirectories,
  textOf,
  versionsOf,
  type SyncFixture,
} from "../support/sync/fixture.ts";

const { service, withFixture } = await setUpSyncFixtures();

/** A sync with a wrapped app that runs a change in the middle. */
async function runThrough(app: App, fixture: SyncFixture) {
  await service.app.storage.connections.request({ id: fixture.connectionId }, { now: service.app.now() });
  return runSync(app, fixture.connectionId, { ...fixture.ports, mirrors: app.mirrors });
}

const inOps = { folder: "ops", createFolders: true };
const manual = "---\nname: ops\ndescription: How we run things.\n---\n\n# Ops\n";

describe("a SKILL.md in a folder of skills", () => {
  it("is reported and skipped, and the skills in it are kept", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "First", "one", inOps);
      await publish(fixture, "Second", "one", inOps);
      await fixture.sync();
      fixture.copy.update();
      const places = skillDirectories(fixture.copy.folder);
      fixture.copy.write("skills/ops/SKILL.md", manual);
      fixture.copy.write("skills/ops/new/SKILL.md", "# New\n");
      const first = "skills/ops/first/SKILL.md";
      fixture.copy.write(first, fixture.copy.read(first).replace("\none\n", "\ntheirs\n"));
      fixture.copy.push();

      assert.equal(await fixture.sync(), "done");
      assert.equal(await textOf(fixture, skill.id), "# First\n\ntheirs\n");
      const slugs = (await listSkills(fixture)).map(({ slug }) => slug).toSorted();
      assert.deepEqual(slugs, ["first", "new", "second"]);
      const { refusals } = (await fixture.connection())!;
      // Nothing is written into a folder that may be a package.
      assert.deepEqual(
        refusals?.map((one) => `${one.path} ${one.code}`),
        ["skills/ops/first inside_skill", "skills/ops/new inside_skill", "skills/ops holds_skills"],
      );

      fixture.copy.update();
      assert.equal(fixture.copy.read("skills/ops/SKILL.md"), manual);
      fixture.copy.git("rm", "-q", "skills/ops/SKILL.md");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.deepEqual(
        skillDirectories(fixture.copy.folder).toSorted(),
        [...places, "skills/ops/new"].toSorted(),
      );
    }));

  it("is imported as a skill once the skills are gone", () =>
    withFixture(async (fixture) => {
      await publish(fixture, "First", "one", inOps);
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.git("rm", "-qr", "skills/ops");
      fixture.copy.write("skills/ops/SKILL.md", manual);
      fixture.copy.write("skills/ops/examples/one/SKILL.md", "# An example\n");
      fixture.copy.push();

      assert.equal(await fixture.sync(), "done");
      const skills = await listSkills(fixture);
      assert.deepEqual(skills.map(({ slug }) => slug).toSorted(), ["first", "ops-2"]);
      fixture.copy.update();
      assert.equal(fixture.copy.read("skills/ops-2/examples/one/SKILL.md"), "# An example\n");
    }));
});

describe("during a sync", () => {
  it("deletion of the organization removes no file of its repository", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Kept", "one", inOps);
      await fixture.sync();
      fixture.copy.update();
      const file = "skills/ops/kept/SKILL.md";
      fixture.copy.write(file, fixture.copy.read(file).replace("\none\n", "\ntheirs\n"));
      const pushed = fixture.copy.push();
      const deleted = interrupted(service.app, {
        step: "mirror.fetch",
        when: "after",
        what: async () => {
          const target = `/api/tenants/${fixture.org.id}`;
          const body = { confirm: fixture.org.slug };
          const answer = await service.call("DELETE", target, { token: fixture.owner.token, body });
          assert.ok([200, 202].includes(answer.status), JSON.stringify(answer.body));
          await service.settled();
        },
      });

      await runThrough(deleted.app, fixture);
      await deleted.disarm();

      assert.ok(deleted.isMet());
      fixture.copy.update();
      assert.match(fixture.copy.read(file), /theirs/);
      fixture.copy.git("merge-base", "--is-ancestor", pushed, "HEAD");
      const docs = await service.app.storage.database
        .collection<SkillDoc>("skills")
        .find({ tenantId: fixture.org.id })
        .toArray();
      assert.deepEqual(
        docs.map(({ _id }) => _id),
        [skill.id],
      );
    }));

  it("a skill that moves into a new folder does not count as deleted", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Moves", "one");
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/moves/SKILL.md", "# Moves\n\ntheirs\n");
      fixture.copy.push();
      const { tenantSkills } = service.app.storage;
      let isMoved = false;
      const listToMirror: typeof tenantSkills.listToMirror = async (...args) => {
        if (!isMoved) {
          isMoved = true;
          const folder = await newFolder(service, fixture.org, fixture.owner, "fresh");
          await service.call("POST", `/api/skills/${skill.id}/move`, {
            token: fixture.owner.token,
            body: { folderId: folder.id },
          });
        }
        return tenantSkills.listToMirror(...args);
      };
      const storage = { ...service.app.storage, tenantSkills: { ...tenantSkills, listToMirror } };

      assert.equal(await runThrough({ ...service.app, storage }, fixture), "done");

      assert.deepEqual(
        (await listSkills(fixture)).map(({ id }) => id),
        [skill.id],
      );
      assert.equal((await versionsOf(fixture, skill.id)).length, 2);
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.deepEqual(skillDirectories(fixture.copy.folder), ["skills/fresh/moves"]);
    }));
});
