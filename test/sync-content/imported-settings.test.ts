/** Description and tags of a skill in a push: they count if they were edited there, and only then. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { withoutManagedHeader } from "../../repos/mirror/layout.ts";
import { runCount } from "../support/run-count.ts";
import { skillTexts } from "../support/skill-texts.ts";
import { setUpSyncFixtures, publish, type SyncFixture } from "../support/sync/fixture.ts";

const { service, withFixture } = await setUpSyncFixtures();

async function change(fixture: SyncFixture, skillId: string, body: object): Promise<void> {
  const answer = await service.call("PUT", `/api/skills/${skillId}`, { token: fixture.owner.token, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

async function settingsOf(skillId: string) {
  const skill = (await service.app.storage.skills.find(skillId))!;
  return { version: skill.head.version, description: skill.description, tags: skill.tags };
}

/** Replaces the matches of a pattern in a file of the repository, pushes and syncs. */
async function edit(fixture: SyncFixture, file: string, from: RegExp, to: string): Promise<void> {
  fixture.copy.update();
  const text = fixture.copy.read(file);
  assert.match(text, from);
  fixture.copy.write(file, text.replace(from, to));
  fixture.copy.push();
  assert.equal(await fixture.sync(), "done");
}

const content = "---\ndescription: Makes tea.\ntags: [hot]\n---\n\nBoil water.\n";
const made = "skills/tea/SKILL.md";

describe("description and tags that were set in the service", () => {
  it("survive any number of edits of the text in the repository", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "Tea", "", { content });
      await fixture.sync();
      await change(fixture, id, { description: "Makes any tea.", tags: ["cold"] });
      const kept = { description: "Makes any tea.", tags: ["cold"] };

      await edit(fixture, made, /Boil water/, "Boil fresh water");
      assert.deepEqual(await settingsOf(id), { version: 2, ...kept });
      await service.settled();
      assert.equal((await service.app.storage.versions.find(id, 2))?.description, kept.description);
      await edit(fixture, made, /Boil fresh water/, "Boil clean water");
      assert.deepEqual(await settingsOf(id), { version: 3, ...kept });
      fixture.copy.update();
      assert.match(fixture.copy.read(made), /description: Makes tea\.\n/, "what was pushed stays as it is");
      assert.match(fixture.copy.read("skills/README.md"), /Makes any tea\\?\./);
    }));

  it("are replaced by those that are edited in the repository, each independently", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "Tea", "", { content });
      await fixture.sync();
      await change(fixture, id, { description: "Makes any tea.", tags: ["cold"] });

      await edit(fixture, made, /Makes tea/, "Makes green tea");
      assert.deepEqual(await settingsOf(id), {
        version: 2,
        description: "Makes green tea.",
        tags: ["cold"],
      });
      await edit(fixture, made, /\bhot\b/, "warm");
      assert.deepEqual(await settingsOf(id), {
        version: 3,
        description: "Makes green tea.",
        tags: ["warm"],
      });
    }));

  it("are not replaced by the first paragraph, which stands in for a description there", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "Tea", "Boil water.");
      await fixture.sync();
      await change(fixture, id, { description: "Makes any tea." });

      await edit(fixture, made, /\n\nBoil water/, "\n\nBoil fresh water");

      assert.deepEqual(await settingsOf(id), { version: 2, description: "Makes any tea.", tags: [] });
    }));

  it("survive an edit of a package", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "Tea", "", { content });
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/tea/pot.txt", "brown\n");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      await change(fixture, id, { description: "Makes any tea.", tags: ["cold"] });

      await edit(fixture, "skills/tea/pot.txt", /brown/, "white");

      assert.deepEqual(await settingsOf(id), { version: 3, description: "Makes any tea.", tags: ["cold"] });
    }));
});

describe("texts in the repository", () => {
  it("are preserved byte for byte in the sync's own commit, with frontmatter of every form", () =>
    withFixture(async (fixture) => {
      const whole =
        "---\r\n# why\r\nname: whole\r\ndescription: 'As it is.'\r\nratio: 1.10\r\nmask: 0x1F\r\n---\r\n\r\n\r\n# Whole";
      const samples = fc.sample(skillTexts, runCount(12, 300));
      const pathOf = (index: number) => `skills/form-${index}/SKILL.md`;
      for (const [index, { text }] of samples.entries()) fixture.copy.write(pathOf(index), text);
      fixture.copy.write("skills/whole/SKILL.md", whole);
      fixture.copy.push();

      assert.equal(await fixture.sync(), "done");

      fixture.copy.update();
      assert.equal(withoutManagedHeader(fixture.copy.read("skills/whole/SKILL.md")), whole);
      const written = samples.map((_, index) => fixture.copy.read(pathOf(index)));
      for (const [index, { around, hasDescription, body }] of samples.entries()) {
        const stored = withoutManagedHeader(written[index]!);
        assert.ok(stored.endsWith(body), JSON.stringify([body, stored]));
        if (!around || !hasDescription) continue;
        assert.ok(stored.startsWith(around.before), JSON.stringify([around.before, stored]));
        assert.ok(stored.endsWith(around.after), JSON.stringify([around.after, stored]));
      }

      for (const [index, text] of written.entries()) fixture.copy.write(pathOf(index), `${text}\nmore\n`);
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      for (const [index, text] of written.entries())
        assert.equal(fixture.copy.read(pathOf(index)), `${text}\nmore\n`);
      const tip = fixture.tip();
      assert.equal(await fixture.sync(true), "done");
      assert.equal(fixture.tip(), tip, "there is nothing more to write");
      const skills = await service.app.storage.tenantSkills.listToMirror(fixture.org.id, "", 100);
      assert.deepEqual(
        [...new Set(skills.filter(({ slug }) => slug !== "whole").map(({ head }) => head.version))],
        [2],
      );
    }));

  it("get no version for an edit of the name alone, which the service sets", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "Tea", "", { content });
      await fixture.sync();

      await edit(fixture, made, /name: tea/, "name: coffee");

      assert.equal((await settingsOf(id)).version, 1);
      fixture.copy.update();
      assert.match(fixture.copy.read(made), /^name: tea$/m);
      const { connectionId } = fixture;
      const [run] = await service.app.storage.syncRuns.list({ connectionId, limit: 1 });
      assert.deepEqual(
        run!.refusals?.map(({ path: at, code }) => `${at} ${code}`),
        ["skills/tea name_put_back"],
      );
      assert.deepEqual((await fixture.connection())!.refusals, []);
    }));
});
