/** Files that no package has, which are committed to a connected repository. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runGit } from "../support/host/git-host.ts";
import {
  listSkills,
  setUpSyncFixtures,
  textOf,
  versionsOf,
  type SyncFixture,
} from "../support/sync/fixture.ts";

const { service, withFixture } = await setUpSyncFixtures();

const kit = "---\nname: kit\ndescription: A kit.\n---\n\n# Kit\n";
const content = { "SKILL.md": kit, "run.sh": "echo one\n", "scripts/b.py": "print(1)\n" };
const leftOut = {
  ".DS_Store": "x",
  "scripts/__pycache__/b.cpython-312.pyc": "x",
  "scripts/b.py~": "print(0)\n",
  "env/pyvenv.cfg": "home = /usr/bin\n",
  "env/lib/site.py": "x\n",
};

function writeKit({ copy }: SyncFixture, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) copy.write(`skills/kit/${path}`, text);
}

/** Paths of the skill's directory in the branch, without `.svc.json`. */
const committed = ({ remote }: SyncFixture, directory = "skills/kit") =>
  runGit(remote, "ls-tree", "-r", "--name-only", `main:${directory}`)
    .split("\n")
    .filter((path) => path !== ".svc.json");

async function filesOf(fixture: SyncFixture, skillId: string): Promise<string[]> {
  const { data } = await service.call<{ files: { path: string }[] }>(
    "GET",
    `/api/skills/${skillId}/manifest`,
    {
      token: fixture.owner.token,
    },
  );
  return data.files.map(({ path }) => path);
}

async function onlySkill(fixture: SyncFixture) {
  const skills = await listSkills(fixture);
  assert.equal(skills.length, 1);
  return skills[0]!;
}

const everything = Object.keys({ ...content, ...leftOut }).toSorted();

/** Syncs twice: the second time, nothing is left to do. */
async function syncToTheEnd(fixture: SyncFixture): Promise<void> {
  assert.equal(await fixture.sync(), "done");
  const tip = fixture.tip();
  assert.equal(await fixture.sync(true), "done");
  assert.equal(fixture.tip(), tip);
}

describe("files that no package has", () => {
  it("stay in the repository, and are in no version", () =>
    withFixture(async (fixture) => {
      writeKit(fixture, { ...content, ...leftOut });
      fixture.copy.push();

      await syncToTheEnd(fixture);

      const skill = await onlySkill(fixture);
      assert.deepEqual((await filesOf(fixture, skill.id)).toSorted(), Object.keys(content).toSorted());
      assert.deepEqual(committed(fixture).toSorted(), everything);
    }));

  it("are no edit when they are added, changed or deleted", () =>
    withFixture(async (fixture) => {
      writeKit(fixture, { ...content, ".DS_Store": "x" });
      fixture.copy.push();
      await syncToTheEnd(fixture);
      const { id } = await onlySkill(fixture);
      for (const files of [leftOut, { ".DS_Store": "y", "run.sh.swp~": "x" }]) {
        fixture.copy.update();
        writeKit(fixture, files);
        fixture.copy.push();
        const tip = fixture.tip();
        await syncToTheEnd(fixture);
        assert.equal(fixture.tip(), tip);
      }
      fixture.copy.update();
      fixture.copy.git("rm", "-q", "-r", "skills/kit/.DS_Store", "skills/kit/env");
      fixture.copy.push();

      await syncToTheEnd(fixture);

      assert.equal((await versionsOf(fixture, id)).length, 1);
    }));

  it("are kept when the service writes the directory, and move with it", () =>
    withFixture(async (fixture) => {
      const { token } = fixture.owner;
      writeKit(fixture, { ...content, ...leftOut });
      fixture.copy.push();
      await syncToTheEnd(fixture);
      const { id } = await onlySkill(fixture);
      fixture.copy.update();
      writeKit(fixture, { "run.sh": "echo two\n", "scripts/c.py": "print(2)\n" });
      fixture.copy.push();
      await syncToTheEnd(fixture);

      const reverted = await service.call("POST", `/api/skills/${id}/revert`, {
        token,
        body: { version: 1 },
      });
      assert.equal(reverted.status, 200, JSON.stringify(reverted.body));
      await syncToTheEnd(fixture);

      fixture.copy.update();
      assert.equal(fixture.copy.read("skills/kit/run.sh"), "echo one\n");
      assert.deepEqual(committed(fixture).toSorted(), everything);

      const body = { folder: "tools", createFolders: true };
      const moved = await service.call("POST", `/api/skills/${id}/move`, { token, body });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      await syncToTheEnd(fixture);

      assert.deepEqual(
        committed(fixture, "skills").filter((path) => path.startsWith("kit/")),
        [],
      );
      assert.deepEqual(committed(fixture, "skills/tools/kit").toSorted(), everything);
      assert.equal(runGit(fixture.remote, "fsck", "--strict", "--no-dangling"), "");
    }));

  it("are deleted with their skill", () =>
    withFixture(async (fixture) => {
      writeKit(fixture, { ...content, ...leftOut });
      fixture.copy.push();
      await syncToTheEnd(fixture);
      const { id } = await onlySkill(fixture);

      const deleted = await service.call("DELETE", `/api/skills/${id}`, { token: fixture.owner.token });
      assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
      await syncToTheEnd(fixture);

      assert.deepEqual(
        committed(fixture, "skills").filter((path) => path.startsWith("kit/")),
        [],
      );
    }));

  it("make neither a package of a text, nor a fault of a rule", () =>
    withFixture(async (fixture) => {
      fixture.copy.write("skills/note/SKILL.md", kit.replace("name: kit", "name: note"));
      fixture.copy.write("skills/note/.DS_Store", "x");
      fixture.copy.write("skills/style/RULE.md", "# Style\n");
      fixture.copy.write("skills/style/Thumbs.db", "x");
      fixture.copy.push();

      await syncToTheEnd(fixture);

      const skills = await listSkills(fixture);
      assert.deepEqual(skills.map(({ slug, type }) => `${slug} ${type}`).toSorted(), [
        "note skill",
        "style rule",
      ]);
      for (const { id } of skills) assert.match(await textOf(fixture, id), /^# (Kit|Style)|^---/);
      assert.deepEqual((await fixture.connection())?.refusals ?? [], []);
    }));

  it("make no version where an earlier release has imported them", () =>
    withFixture(async (fixture) => {
      writeKit(fixture, { ...content, ...leftOut });
      fixture.copy.push();
      await syncToTheEnd(fixture);
      const { id } = await onlySkill(fixture);
      const bases = service.app.storage.database.raw.collection("sync_bases");
      // As recorded with everything in the directory.
      const raw = runGit(fixture.remote, "rev-parse", "main:skills/kit");
      await bases.updateMany({ skillId: id }, { $set: { contentTree: raw } });

      await syncToTheEnd(fixture);

      assert.equal((await versionsOf(fixture, id)).length, 1);
      assert.deepEqual(committed(fixture).toSorted(), everything);
    }));
});
