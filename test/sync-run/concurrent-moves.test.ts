/** Directories that people move with plain git while the skill is moved in the service. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, it } from "node:test";
import { concurrentMoveMs } from "../../src/sync/content/import/concurrent-move.ts";
import { runGitScript } from "../support/host/git-host.ts";
import { setUpService } from "../support/set-up.ts";
import {
  listSkills,
  skillDirectories,
  type SyncFixture,
  versionsOf,
  withSyncFixture,
} from "../support/sync/fixture.ts";

const { service, clock } = await setUpService();
beforeEach(() => void (clock.aheadMs = 0));

/** Number of lines that make an edited file the same file to git. */
const lines = Array.from({ length: 20 }, (_, at) => `Line ${at} of the text.`).join("\n");

const kinds = {
  "text skill": { "SKILL.md": `# Alpha\n\n${lines}\n` },
  package: {
    "SKILL.md": `---\nname: alpha\ndescription: About alpha\n---\n\n# Alpha\n\n${lines}\n`,
    "scripts/run.sh": "echo run\n",
  },
  rule: { "RULE.md": `# Alpha\n\n${lines}\n` },
};

/** A skill of which both sides agree, in a working copy that has not fetched its move to the folder y. */
async function start(fixture: SyncFixture, files: Record<string, string> = kinds["text skill"]) {
  const { copy } = fixture;
  for (const [name, text] of Object.entries(files)) copy.write(`skills/alpha/${name}`, text);
  copy.push();
  assert.equal(await fixture.sync(), "done");
  copy.update();
  const [skill] = await listSkills(fixture);
  return skill!.id;
}

async function moveInService(fixture: SyncFixture, skillId: string, folder = "y"): Promise<void> {
  const body = { folder, createFolders: true };
  const { status } = await service.call("POST", `/api/skills/${skillId}/move`, {
    token: fixture.owner.token,
    body,
  });
  assert.equal(status, 200);
  assert.equal(await fixture.sync(), "done");
}

function moveInCopy({ copy }: SyncFixture, to = "skills/x/alpha"): void {
  runGitScript(copy.folder, `mkdir -p "$(dirname "$1")"; git mv skills/alpha "$1"; git commit -qm move`, to);
}

/** Fetches what is in the branch, and keeps both directories where git asks which one is meant. */
const combine = {
  rebase: ({ copy }: SyncFixture) =>
    runGitScript(
      copy.folder,
      "git pull -q --rebase origin main || (git add -A; git -c core.editor=true rebase --continue)",
    ),
  merge: ({ copy }: SyncFixture) =>
    runGitScript(
      copy.folder,
      "git pull -q --no-rebase --no-edit origin main || (git add -A; git commit -qm merged)",
    ),
};

function append({ copy }: SyncFixture, file: string, line: string): void {
  copy.write(file, `${copy.read(file)}${line}\n`);
}

const copyDirectory = ({ copy }: SyncFixture, from: string, to: string) =>
  cpSync(path.join(copy.folder, from), path.join(copy.folder, to), {
    recursive: true,
  });

async function stateOf(fixture: SyncFixture) {
  const skills = await listSkills(fixture);
  fixture.copy.update();
  return {
    versions: Object.fromEntries(skills.map(({ slug, currentVersion }) => [slug, currentVersion])),
    directories: skillDirectories(fixture.copy.folder).sort(),
    problems: ((await fixture.connection())!.refusals ?? []).map((one) => `${one.path} ${one.code}`),
  };
}

const one = (version: number) => ({
  versions: { alpha: version },
  directories: ["skills/y/alpha"],
  problems: [],
});

describe("a directory that was moved while its skill moved", () => {
  for (const [kind, files] of Object.entries(kinds))
    for (const [how, fetch] of Object.entries(combine))
      it(`moves back after a ${how} that keeps both, of a ${kind}`, () =>
        withSyncFixture(service, async (fixture) => {
          const id = await start(fixture, files);
          moveInCopy(fixture);
          await moveInService(fixture, id);
          fetch(fixture);
          assert.ok(
            fixture.copy.has("skills/x/alpha/.svc.json") && fixture.copy.has("skills/y/alpha/.svc.json"),
          );
          fixture.copy.push();

          await fixture.sync();

          assert.deepEqual(await stateOf(fixture), one(1));
        }));

  for (const [how, fetch] of Object.entries(combine))
    it(`keeps an edit that was made in it before a ${how}`, () =>
      withSyncFixture(service, async (fixture) => {
        const id = await start(fixture);
        moveInCopy(fixture);
        append(fixture, "skills/x/alpha/SKILL.md", "Added.");
        fixture.copy.git("commit", "-qam", "edit");
        await moveInService(fixture, id);
        fetch(fixture);
        fixture.copy.push();

        await fixture.sync();

        assert.deepEqual(await stateOf(fixture), one(2));
        assert.match(fixture.copy.read("skills/y/alpha/SKILL.md"), /Added\./);
      }));

  it("keeps an edit that was made in it alone", () =>
    withSyncFixture(service, async (fixture) => {
      const id = await start(fixture, kinds.package);
      moveInCopy(fixture);
      await moveInService(fixture, id);
      combine.rebase(fixture);
      append(fixture, "skills/x/alpha/scripts/run.sh", "echo added");
      fixture.copy.push("edit of the script");

      await fixture.sync();

      assert.deepEqual(await stateOf(fixture), one(2));
      assert.match(fixture.copy.read("skills/y/alpha/scripts/run.sh"), /added/);
      const [version] = await versionsOf(fixture, id);
      assert.match(version!.message, /edit of the script/);
    }));

  it("keeps both edits, of which that of the skill's own directory is the newer version", () =>
    withSyncFixture(service, async (fixture) => {
      const id = await start(fixture);
      moveInCopy(fixture);
      await moveInService(fixture, id, "a");
      combine.rebase(fixture);
      append(fixture, "skills/x/alpha/SKILL.md", "Added there.");
      append(fixture, "skills/a/alpha/SKILL.md", "Added here.");
      fixture.copy.push();

      await fixture.sync();

      assert.deepEqual(await stateOf(fixture), {
        ...one(3),
        directories: ["skills/a/alpha"],
      });
      assert.match(fixture.copy.read("skills/a/alpha/SKILL.md"), /Added here\./);
      const conflicts = await service.app.storage.syncConflicts.list({
        connectionId: fixture.connectionId,
        limit: 10,
      });
      assert.deepEqual(
        conflicts.map(({ winning, losing }) => [winning, losing]),
        [[3, 2]],
      );
    }));

  it("doesn't undo a version that was published since", () =>
    withSyncFixture(service, async (fixture) => {
      const id = await start(fixture);
      moveInCopy(fixture);
      await moveInService(fixture, id);
      combine.merge(fixture);
      const content = `# Alpha\n\nPublished.\n`;
      const { token } = fixture.owner;
      const { status } = await service.call("POST", `/api/skills/${id}/versions`, {
        token,
        body: { content },
      });
      assert.equal(status, 201);
      await fixture.sync();
      combine.merge(fixture);
      fixture.copy.push();

      await fixture.sync();

      assert.deepEqual(await stateOf(fixture), one(2));
      assert.match(fixture.copy.read("skills/y/alpha/SKILL.md"), /Published\./);
    }));

  it("is listed in the run that removes it", () =>
    withSyncFixture(service, async (fixture) => {
      const id = await start(fixture);
      moveInCopy(fixture);
      await moveInService(fixture, id);
      combine.rebase(fixture);
      fixture.copy.push();

      await fixture.sync();

      const [run] = await service.app.storage.syncRuns.list({
        connectionId: fixture.connectionId,
        limit: 1,
      });
      assert.deepEqual(
        run!.refusals?.map((found) => `${found.path} ${found.code}`),
        ["skills/x/alpha move_undone"],
      );
    }));
});

describe("a copy of a directory", () => {
  const two = (slug: string, directory: string) => ({
    versions: { alpha: 1, [slug]: 1 },
    directories: ["skills/y/alpha", directory].sort(),
    problems: [],
  });

  it("is a new skill if its skill has not moved", () =>
    withSyncFixture(service, async (fixture) => {
      await start(fixture);
      copyDirectory(fixture, "skills/alpha", "skills/x/alpha");
      fixture.copy.push();

      await fixture.sync();

      assert.deepEqual((await stateOf(fixture)).versions, {
        alpha: 1,
        "alpha-2": 1,
      });
    }));

  for (const [name, { to, waitMs, slug, at }] of Object.entries({
    "is a new skill if it was made later": {
      to: "skills/x/alpha",
      waitMs: concurrentMoveMs,
      slug: "alpha-2",
      at: "skills/x/alpha-2",
    },
    "is a new skill under another name": {
      to: "skills/x/beta",
      waitMs: 0,
      slug: "beta",
      at: "skills/x/beta",
    },
  }))
    it(name, () =>
      withSyncFixture(service, async (fixture) => {
        const id = await start(fixture);
        await moveInService(fixture, id);
        fixture.copy.update();
        clock.advance(waitMs);
        copyDirectory(fixture, "skills/y/alpha", to);
        fixture.copy.push();

        await fixture.sync();

        assert.deepEqual(await stateOf(fixture), two(slug, at));
      }),
    );

  it("is a new skill without the .svc.json", () =>
    withSyncFixture(service, async (fixture) => {
      const id = await start(fixture);
      await moveInService(fixture, id);
      fixture.copy.update();
      fixture.copy.write("skills/x/alpha/SKILL.md", fixture.copy.read("skills/y/alpha/SKILL.md"));
      fixture.copy.push();

      await fixture.sync();

      assert.deepEqual(await stateOf(fixture), two("alpha-2", "skills/x/alpha-2"));
    }));
});
