/** Directories without their `.svc.json`, as people who edit with plain git leave them. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import {
  type SyncFixture,
  listSkills,
  publish,
  setUpSyncFixtures,
  skillDirectories,
} from "../support/sync/fixture.ts";

const { withFixture } = await setUpSyncFixtures();

const names = ["alpha", "beta", "gamma"];

/** Three skills of which both sides agree. */
async function start(fixture: SyncFixture): Promise<void> {
  for (const name of names)
    await publish(fixture, name, `# About ${name}\n\nOf ${name}: one.\nOf ${name}: two.`);
  assert.equal(await fixture.sync(), "done");
  fixture.copy.update();
}

const remove = ({ copy }: SyncFixture, name: string) =>
  rmSync(path.join(copy.folder, "skills", name), { recursive: true });
const append = ({ copy }: SyncFixture, name: string) =>
  copy.write(`skills/${name}/SKILL.md`, `${copy.read(`skills/${name}/SKILL.md`)}Added.\n`);

/** Number of versions by slug, the directories, and the problems. */
async function stateOf(fixture: SyncFixture) {
  const skills = await listSkills(fixture);
  fixture.copy.update();
  return {
    versions: Object.fromEntries(skills.map(({ slug, currentVersion }) => [slug, currentVersion])),
    directories: skillDirectories(fixture.copy.folder).sort(),
    isNamed: skillDirectories(fixture.copy.folder).every((place) => fixture.copy.has(`${place}/.svc.json`)),
    problems: ((await fixture.connection())!.refusals ?? []).map((one) => `${one.path} ${one.code}`),
  };
}

const all = names.map((name) => `skills/${name}`);

describe("a directory without its .svc.json", () => {
  it("can be edited, and gets the file back", () =>
    withFixture(async (fixture) => {
      await start(fixture);
      remove(fixture, "alpha/.svc.json");
      append(fixture, "alpha");
      fixture.copy.push();

      await fixture.sync();

      assert.deepEqual(await stateOf(fixture), {
        versions: { alpha: 2, beta: 1, gamma: 1 },
        directories: all,
        isNamed: true,
        problems: [],
      });
    }));

  for (const when of ["before", "after"])
    it(`is its skill if it was deleted and is written again ${when} the next sync`, () =>
      withFixture(async (fixture) => {
        await start(fixture);
        fixture.copy.git("rm", "-rq", "skills/alpha");
        fixture.copy.push();
        if (when === "after") await fixture.sync();
        fixture.copy.update();
        fixture.copy.write("skills/alpha/SKILL.md", "# Written anew\n\nNothing of it was here.\n");
        fixture.copy.push();

        await fixture.sync();

        const { versions, isNamed, problems } = await stateOf(fixture);
        assert.deepEqual([versions, isNamed, problems], [{ alpha: 2, beta: 1, gamma: 1 }, true, []]);
      }));

  it("is its skill in a branch that was made again without history", () =>
    withFixture(async (fixture) => {
      await start(fixture);
      fixture.copy.git("checkout", "-q", "--orphan", "fresh");
      remove(fixture, "alpha/.svc.json");
      remove(fixture, "beta/.svc.json");
      remove(fixture, "gamma");
      append(fixture, "alpha");
      fixture.copy.push("made again", true);

      await fixture.sync();
      const first = await stateOf(fixture);
      await fixture.sync(true);
      const restored = await stateOf(fixture);

      const versions = { alpha: 2, beta: 1, gamma: 1 };
      assert.deepEqual([first.versions, first.problems], [versions, []]);
      assert.deepEqual(restored, { versions, directories: all, isNamed: true, problems: [] });
    }));

  it("is reported if its text is that of another skill, edited", () =>
    withFixture(async (fixture) => {
      await start(fixture);
      remove(fixture, "alpha");
      fixture.copy.git("mv", "skills/beta", "skills/alpha");
      remove(fixture, "alpha/.svc.json");
      append(fixture, "alpha");
      fixture.copy.push();

      await fixture.sync();

      const { versions, problems } = await stateOf(fixture);
      assert.deepEqual(versions, { alpha: 1, beta: 1, gamma: 1 });
      assert.deepEqual(problems, ["skills/alpha identity_unclear"]);
    }));
});
