/** Syncs that are interrupted at critical moments, with changes by others before the next one. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
import { setUpService } from "../support/set-up.ts";
import { interrupted } from "../support/sync/crash-points.ts";
import {
  withSyncFixture,
  listSkills,
  publish,
  skillDirectories,
  textOf,
  versionsOf,
  type SyncFixture,
} from "../support/sync/fixture.ts";

const { service, clock } = await setUpService();

const withFixture = (test: (fixture: SyncFixture) => Promise<void>) => withSyncFixture(service, test);

/** Requests a sync and crashes it right after a step; its lease expires. */
async function crashAfter(fixture: SyncFixture, step: string): Promise<void> {
  const crashing = interrupted(service.app, { step, when: "after", what: "kill" });
  await service.app.storage.connections.request({ id: fixture.connectionId }, { now: service.app.now() });
  const { mirrors } = crashing.app;
  await assert.rejects(runSync(crashing.app, fixture.connectionId, { ...fixture.ports, mirrors }));
  assert.ok(crashing.isMet(), crashing.steps.join(", "));
  clock.aheadMs += 5 * 60_000;
}

function editText(fixture: SyncFixture, name: string, text: string): string {
  fixture.copy.update();
  const file = `skills/${name}/SKILL.md`;
  fixture.copy.write(file, fixture.copy.read(file).replace(/(?<=# [^\n]+\n\n)[^]*$/, `${text}\n`));
  return fixture.copy.push();
}

const conflictsOf = async (fixture: SyncFixture) =>
  (await service.app.storage.syncConflicts.list({ connectionId: fixture.connectionId, limit: 10 })).map(
    ({ winning, losing }) => [winning, losing],
  );

describe("a sync that can't write its state", () => {
  it("does not renew its lease, so that another one can run", async (t) =>
    withFixture(async (fixture) => {
      await publish(fixture, "Text", "one");
      const made = t.mock.method(globalThis, "setInterval");
      const cleared = t.mock.method(globalThis, "clearInterval");

      for (const step of ["syncRuns.start", "syncRuns.closeInterrupted"]) await crashAfter(fixture, step);

      const ended = new Set(cleared.mock.calls.map(({ arguments: [timer] }) => timer));
      const left = made.mock.calls.filter(
        ({ result, stack }) => stack.stack?.includes("runSync") && !ended.has(result),
      );
      assert.deepEqual(left.length, 0);
      assert.equal(await fixture.sync(), "done");
    }));
});

describe("a sync that crashes right after", () => {
  it("its push was accepted, does not treat its push as an edit, though the skill was published since", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Text", "one");
      await fixture.sync();
      await publish(fixture, "Text", "two");
      await crashAfter(fixture, "mirror.push");
      await publish(fixture, "Text", "three");

      assert.equal(await fixture.sync(), "done");
      assert.equal((await versionsOf(fixture, skill.id)).length, 3);
      assert.equal(await textOf(fixture, skill.id), "# Text\n\nthree\n");
      fixture.copy.update();
      assert.match(fixture.copy.read("skills/text/SKILL.md"), /three/);
      assert.deepEqual(await conflictsOf(fixture), []);
    }));

  for (const place of ["skills/text", "skills/New Room/text"])
    it(`it wrote back what was imported from ${place}, does not treat that as an edit, though it was published since`, () =>
      withFixture(async (fixture) => {
        if (place === "skills/text") {
          await publish(fixture, "Text", "one");
          await fixture.sync();
          fixture.copy.update();
        }
        fixture.copy.write(`${place}/SKILL.md`, "# Text\n\ntheirs\n");
        fixture.copy.push();
        await crashAfter(fixture, "mirror.push");
        const [skill] = await listSkills(fixture);
        await publish(fixture, "Text", "theirs, and ours", {
          folder: place.includes("New") ? "new-room" : "/",
        });

        assert.equal(await fixture.sync(), "done");
        const numbers = (await versionsOf(fixture, skill!.id)).map(({ version }) => version);
        assert.deepEqual(numbers, place === "skills/text" ? [3, 2, 1] : [2, 1]);
        assert.equal(await textOf(fixture, skill!.id), "# Text\n\ntheirs, and ours\n");
        assert.deepEqual(await conflictsOf(fixture), []);
      }));

  it("it imported, does not import again, even if the skill has changed in the service since", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Text", "one");
      await fixture.sync();
      editText(fixture, "text", "theirs");
      await crashAfter(fixture, "skills.append");
      await publish(fixture, "Text", "theirs, and ours");

      assert.equal(await fixture.sync(), "done");
      assert.equal((await versionsOf(fixture, skill.id)).length, 3);
      assert.equal(await textOf(fixture, skill.id), "# Text\n\ntheirs, and ours\n");
      assert.deepEqual(await conflictsOf(fixture), []);
    }));

  it("it imported content in another format than ours, does not import it again either", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Text", "one");
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/text/SKILL.md", "# Text\n\ntheirs\n");
      fixture.copy.push();
      await publish(fixture, "Text", "ours");
      await crashAfter(fixture, "skills.append");
      await publish(fixture, "Text", "theirs, and ours");

      assert.equal(await fixture.sync(), "done");
      assert.equal((await versionsOf(fixture, skill.id)).length, 4);
      assert.equal(await textOf(fixture, skill.id), "# Text\n\ntheirs, and ours\n");
      assert.deepEqual(await conflictsOf(fixture), [[3, 2]]);
    }));

  it("it imported a text that has become a package, does not import it again", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "Text", "one", { folder: "red", createFolders: true });
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/red/text/scripts/run.sh", "#!/bin/sh\n");
      fixture.copy.push();
      await crashAfter(fixture, "skills.append");

      assert.equal(await fixture.sync(), "done");
      assert.equal((await versionsOf(fixture, id)).length, 2);
      assert.deepEqual(await conflictsOf(fixture), []);
    }));

  it("it imported over a version of the service, reports the conflict", () =>
    withFixture(async (fixture) => {
      await publish(fixture, "Text", "one");
      await fixture.sync();
      editText(fixture, "text", "theirs");
      await publish(fixture, "Text", "ours");
      await crashAfter(fixture, "skills.append");

      assert.equal(await fixture.sync(), "done");
      assert.deepEqual(await conflictsOf(fixture), [[3, 2]]);
      await fixture.sync();
      assert.deepEqual(await conflictsOf(fixture), [[3, 2]]);
    }));

  it("it imported, causes no conflict with the next edit there", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Text", "one");
      await fixture.sync();
      editText(fixture, "text", "first");
      await crashAfter(fixture, "skills.append");
      editText(fixture, "text", "second");

      assert.equal(await fixture.sync(), "done");
      assert.equal(await textOf(fixture, skill.id), "# Text\n\nsecond\n");
      assert.deepEqual(await conflictsOf(fixture), []);
    }));

  it("it recorded its import, causes no conflict with the next edit there either", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Text", "one");
      await fixture.sync();
      const write = (file: string, text: string) => {
        fixture.copy.update();
        fixture.copy.write(file, `# Text\n\n${text}\n`);
        fixture.copy.push();
      };
      // Not in our format, so that the agreed content differs from our export.
      for (const file of ["skills/text/SKILL.md", "skills/new/SKILL.md"]) {
        write(file, "first");
        await crashAfter(fixture, "syncBases.putMany");
        write(file, "second");
        assert.equal(await fixture.sync(), "done");
        assert.deepEqual(await conflictsOf(fixture), [], file);
      }
      assert.equal(await textOf(fixture, skill.id), "# Text\n\nsecond\n");
      assert.equal((await versionsOf(fixture, skill.id)).length, 3);

      write("skills/text/SKILL.md", "third");
      await crashAfter(fixture, "syncBases.putMany");
      await publish(fixture, "Text", "ours");
      write("skills/text/SKILL.md", "fourth");
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual(await conflictsOf(fixture), [[6, 5]]);
    }));

  it("it created a skill whose slug was taken, creates no second one from the same directory", () =>
    withFixture(async (fixture) => {
      await publish(fixture, "Text", "one");
      await fixture.sync();
      fixture.copy.update();
      for (const box of ["a", "b"])
        cpSync(
          path.join(fixture.copy.folder, "skills/text"),
          path.join(fixture.copy.folder, `skills/${box}/text`),
          {
            recursive: true,
          },
        );
      fixture.copy.push();
      await crashAfter(fixture, "skills.insert");

      assert.equal(await fixture.sync(), "done");
      const slugs = (await listSkills(fixture)).map(({ slug }) => slug).toSorted();
      assert.deepEqual(slugs, ["text", "text-2", "text-3"]);
    }));

  const meanwhile: Record<string, (fixture: SyncFixture, skillId: string) => Promise<unknown>> = {
    "and a version was published since": (fixture) => publish(fixture, "Fresh", "theirs, and ours"),
    "and it was moved since": (fixture, skillId) =>
      service.call("POST", `/api/skills/${skillId}/move`, {
        token: fixture.owner.token,
        body: { folder: "elsewhere", createFolders: true },
      }),
    "in a folder that is written otherwise": async () => undefined,
  };
  for (const [what, act] of Object.entries(meanwhile))
    it(`it created a skill ${what}, creates no second one from the same directory`, () =>
      withFixture(async (fixture) => {
        fixture.copy.write(
          what.includes("otherwise") ? "skills/New Room/fresh/SKILL.md" : "skills/fresh/SKILL.md",
          "# Fresh\n\ntheirs\n",
        );
        fixture.copy.push();
        await crashAfter(fixture, "skills.insert");
        const [made] = await listSkills(fixture);
        await act(fixture, made!.id);
        const [text, { length }] = [await textOf(fixture, made!.id), await versionsOf(fixture, made!.id)];

        assert.equal(await fixture.sync(), "done");
        assert.deepEqual(
          (await listSkills(fixture)).map(({ id }) => id),
          [made!.id],
        );
        assert.equal(await textOf(fixture, made!.id), text);
        assert.equal((await versionsOf(fixture, made!.id)).length, length);
        fixture.copy.update();
        const [place, ...others] = skillDirectories(fixture.copy.folder);
        assert.deepEqual(others, []);
        assert.ok(fixture.copy.read(`${place}/SKILL.md`).includes(text.trim().split("\n").at(-1)!));
      }));

  for (const step of ["skills.insert", "syncBases.putMany"])
    it(`${step} created a skill from a deleted one's directory, creates no second one`, () =>
      withFixture(async (fixture) => {
        const skill = await publish(fixture, "Text", "one");
        await fixture.sync();
        await service.call("DELETE", `/api/skills/${skill.id}`, { token: fixture.owner.token });
        await eraseSkill(service.app, { tenantId: fixture.org.id, skillId: skill.id });
        editText(fixture, "text", "theirs");
        await crashAfter(fixture, step);
        const [made] = await listSkills(fixture);

        assert.equal(await fixture.sync(), "done");
        assert.deepEqual(
          (await listSkills(fixture)).map(({ id }) => id),
          [made!.id],
        );
        fixture.copy.update();
        assert.match(fixture.copy.read("skills/text/.svc.json"), new RegExp(made!.id));
      }));
});
