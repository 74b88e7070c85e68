/** Folders of skills: imported folders, and changes to folders while a sync runs. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "../../src/app.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
import { newFolder } from "../support/organization.ts";
import { startService, type TestService } from "../support/service.ts";
import { interrupted } from "../support/sync/crash-points.ts";
import {
  inWorld,
  listSkills,
  publish,
  skillDirectories,
  textOf,
  versionsOf,
  type SyncWorld,
} from "../support/sync/fixture.ts";
import type { SkillDoc } from "../../storage/skills.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const withWorld = (test: (world: SyncWorld) => Promise<void>) => inWorld(service, test);

/** A sync with a wrapped app that runs a change in the middle. */
async function runThrough(app: App, world: SyncWorld) {
  await service.app.storage.connections.request({ id: world.connectionId }, { now: service.app.now() });
  return runSync(app, world.connectionId, { ...world.ports, mirrors: app.mirrors });
}

const inOps = { folder: "ops", createFolders: true };
const manual = "---\nname: ops\ndescription: How we run things.\n---\n\n# Ops\n";

describe("a SKILL.md in a folder of skills", () => {
  it("is reported and skipped, and the skills in it are kept", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "First", "one", inOps);
      await publish(world, "Second", "one", inOps);
      await world.sync();
      world.copy.update();
      const places = skillDirectories(world.copy.folder);
      world.copy.write("skills/ops/SKILL.md", manual);
      world.copy.write("skills/ops/new/SKILL.md", "# New\n");
      const first = "skills/ops/first/SKILL.md";
      world.copy.write(first, world.copy.read(first).replace("\none\n", "\ntheirs\n"));
      world.copy.push();

      assert.equal(await world.sync(), "done");
      assert.equal(await textOf(world, skill.id), "# First\n\ntheirs\n");
      const slugs = (await listSkills(world)).map(({ slug }) => slug).toSorted();
      assert.deepEqual(slugs, ["first", "new", "second"]);
      const { refusals } = (await world.connection())!;
      // Nothing is written into a folder that may be a package.
      assert.deepEqual(
        refusals?.map((one) => `${one.path} ${one.code}`),
        ["skills/ops/first inside_skill", "skills/ops/new inside_skill", "skills/ops holds_skills"],
      );

      world.copy.update();
      assert.equal(world.copy.read("skills/ops/SKILL.md"), manual);
      world.copy.git("rm", "-q", "skills/ops/SKILL.md");
      world.copy.push();
      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.deepEqual(
        skillDirectories(world.copy.folder).toSorted(),
        [...places, "skills/ops/new"].toSorted(),
      );
    }));

  it("is imported as a skill once the skills are gone", () =>
    withWorld(async (world) => {
      await publish(world, "First", "one", inOps);
      await world.sync();
      world.copy.update();
      world.copy.git("rm", "-qr", "skills/ops");
      world.copy.write("skills/ops/SKILL.md", manual);
      world.copy.write("skills/ops/examples/one/SKILL.md", "# An example\n");
      world.copy.push();

      assert.equal(await world.sync(), "done");
      const skills = await listSkills(world);
      assert.deepEqual(skills.map(({ slug }) => slug).toSorted(), ["first", "ops-2"]);
      world.copy.update();
      assert.equal(world.copy.read("skills/ops-2/examples/one/SKILL.md"), "# An example\n");
    }));
});

describe("during a sync", () => {
  it("deletion of the organization removes no file of its repository", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Kept", "one", inOps);
      await world.sync();
      world.copy.update();
      const file = "skills/ops/kept/SKILL.md";
      world.copy.write(file, world.copy.read(file).replace("\none\n", "\ntheirs\n"));
      const pushed = world.copy.push();
      const deleted = interrupted(service.app, {
        step: "mirror.fetch",
        when: "after",
        what: async () => {
          const target = `/api/tenants/${world.org.id}`;
          const body = { confirm: world.org.slug };
          const answer = await service.call("DELETE", target, { token: world.owner.token, body });
          assert.ok([200, 202].includes(answer.status), JSON.stringify(answer.body));
          await service.settled();
        },
      });

      await runThrough(deleted.app, world);
      await deleted.disarm();

      assert.ok(deleted.isMet());
      world.copy.update();
      assert.match(world.copy.read(file), /theirs/);
      world.copy.git("merge-base", "--is-ancestor", pushed, "HEAD");
      const docs = await service.app.storage.database
        .collection<SkillDoc>("skills")
        .find({ tenantId: world.org.id })
        .toArray();
      assert.deepEqual(
        docs.map(({ _id }) => _id),
        [skill.id],
      );
    }));

  it("a skill that moves into a new folder does not count as deleted", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Moves", "one");
      await world.sync();
      world.copy.update();
      world.copy.write("skills/moves/SKILL.md", "# Moves\n\ntheirs\n");
      world.copy.push();
      const { tenantSkills } = service.app.storage;
      let isMoved = false;
      const listToMirror: typeof tenantSkills.listToMirror = async (...args) => {
        if (!isMoved) {
          isMoved = true;
          const folder = await newFolder(service, world.org, world.owner, "fresh");
          await service.call("POST", `/api/skills/${skill.id}/move`, {
            token: world.owner.token,
            body: { folderId: folder.id },
          });
        }
        return tenantSkills.listToMirror(...args);
      };
      const storage = { ...service.app.storage, tenantSkills: { ...tenantSkills, listToMirror } };

      assert.equal(await runThrough({ ...service.app, storage }, world), "done");

      assert.deepEqual(
        (await listSkills(world)).map(({ id }) => id),
        [skill.id],
      );
      assert.equal((await versionsOf(world, skill.id)).length, 2);
      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.deepEqual(skillDirectories(world.copy.folder), ["skills/fresh/moves"]);
    }));
});
