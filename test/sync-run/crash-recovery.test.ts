/** What an interrupted sync leaves at critical moments, with changes by others before the next one. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { eraseSkill } from "../../src/skills/erase.ts";
import { runSync } from "../../src/sync/run/run-sync.ts";
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

let service: TestService;
let ahead = 0;
before(async () => {
  service = await startService({ now: () => new Date(Date.now() + ahead) });
});
after(() => service.close());

const withWorld = (test: (world: SyncWorld) => Promise<void>) => inWorld(service, test);

/** Requests a sync and crashes it right after a step; its lease expires. */
async function stopAfter(world: SyncWorld, step: string): Promise<void> {
  const stopping = interrupted(service.app, { step, when: "after", what: "kill" });
  await service.app.storage.connections.request({ id: world.connectionId }, { now: service.app.now() });
  const { mirrors } = stopping.app;
  await assert.rejects(runSync(stopping.app, world.connectionId, { ...world.ports, mirrors }));
  assert.ok(stopping.isMet(), stopping.steps.join(", "));
  ahead += 5 * 60_000;
}

function editText(world: SyncWorld, name: string, text: string): string {
  world.copy.update();
  const file = `skills/${name}/SKILL.md`;
  world.copy.write(file, world.copy.read(file).replace(/(?<=# [^\n]+\n\n)[^]*$/, `${text}\n`));
  return world.copy.push();
}

const conflictsOf = async (world: SyncWorld) =>
  (await service.app.storage.syncConflicts.list({ connectionId: world.connectionId, limit: 10 })).map(
    ({ winning, losing }) => [winning, losing],
  );

describe("a sync that can't write its state", () => {
  it("does not renew its lease, so that another one can run", async (t) =>
    withWorld(async (world) => {
      await publish(world, "Text", "one");
      const made = t.mock.method(globalThis, "setInterval");
      const cleared = t.mock.method(globalThis, "clearInterval");

      for (const step of ["syncRuns.start", "syncRuns.closeInterrupted"]) await stopAfter(world, step);

      const ended = new Set(cleared.mock.calls.map(({ arguments: [timer] }) => timer));
      const left = made.mock.calls.filter(
        ({ result, stack }) => stack.stack?.includes("runSync") && !ended.has(result),
      );
      assert.deepEqual(left.length, 0);
      assert.equal(await world.sync(), "done");
    }));
});

describe("a sync that crashes right after", () => {
  it("its push was accepted, does not treat its push as an edit, though the skill was published since", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Text", "one");
      await world.sync();
      await publish(world, "Text", "two");
      await stopAfter(world, "mirror.push");
      await publish(world, "Text", "three");

      assert.equal(await world.sync(), "done");
      assert.equal((await versionsOf(world, skill.id)).length, 3);
      assert.equal(await textOf(world, skill.id), "# Text\n\nthree\n");
      world.copy.update();
      assert.match(world.copy.read("skills/text/SKILL.md"), /three/);
      assert.deepEqual(await conflictsOf(world), []);
    }));

  for (const place of ["skills/text", "skills/New Room/text"])
    it(`it wrote back what was imported from ${place}, does not treat that as an edit, though it was published since`, () =>
      withWorld(async (world) => {
        if (place === "skills/text") {
          await publish(world, "Text", "one");
          await world.sync();
          world.copy.update();
        }
        world.copy.write(`${place}/SKILL.md`, "# Text\n\ntheirs\n");
        world.copy.push();
        await stopAfter(world, "mirror.push");
        const [skill] = await listSkills(world);
        await publish(world, "Text", "theirs, and ours", {
          folder: place.includes("New") ? "new-room" : "/",
        });

        assert.equal(await world.sync(), "done");
        const numbers = (await versionsOf(world, skill!.id)).map(({ version }) => version);
        assert.deepEqual(numbers, place === "skills/text" ? [3, 2, 1] : [2, 1]);
        assert.equal(await textOf(world, skill!.id), "# Text\n\ntheirs, and ours\n");
        assert.deepEqual(await conflictsOf(world), []);
      }));

  it("it imported, does not import again, even if the skill has changed in the service since", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Text", "one");
      await world.sync();
      editText(world, "text", "theirs");
      await stopAfter(world, "skills.append");
      await publish(world, "Text", "theirs, and ours");

      assert.equal(await world.sync(), "done");
      assert.equal((await versionsOf(world, skill.id)).length, 3);
      assert.equal(await textOf(world, skill.id), "# Text\n\ntheirs, and ours\n");
      assert.deepEqual(await conflictsOf(world), []);
    }));

  it("it imported content in another format than ours, does not import it again either", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Text", "one");
      await world.sync();
      world.copy.update();
      world.copy.write("skills/text/SKILL.md", "# Text\n\ntheirs\n");
      world.copy.push();
      await publish(world, "Text", "ours");
      await stopAfter(world, "skills.append");
      await publish(world, "Text", "theirs, and ours");

      assert.equal(await world.sync(), "done");
      assert.equal((await versionsOf(world, skill.id)).length, 4);
      assert.equal(await textOf(world, skill.id), "# Text\n\ntheirs, and ours\n");
      assert.deepEqual(await conflictsOf(world), [[3, 2]]);
    }));

  it("it imported a text that has become a package, does not import it again", () =>
    withWorld(async (world) => {
      const { id } = await publish(world, "Text", "one", { folder: "red", createFolders: true });
      await world.sync();
      world.copy.update();
      world.copy.write("skills/red/text/scripts/run.sh", "#!/bin/sh\n");
      world.copy.push();
      await stopAfter(world, "skills.append");

      assert.equal(await world.sync(), "done");
      assert.equal((await versionsOf(world, id)).length, 2);
      assert.deepEqual(await conflictsOf(world), []);
    }));

  it("it imported over a version of the service, reports the conflict", () =>
    withWorld(async (world) => {
      await publish(world, "Text", "one");
      await world.sync();
      editText(world, "text", "theirs");
      await publish(world, "Text", "ours");
      await stopAfter(world, "skills.append");

      assert.equal(await world.sync(), "done");
      assert.deepEqual(await conflictsOf(world), [[3, 2]]);
      await world.sync();
      assert.deepEqual(await conflictsOf(world), [[3, 2]]);
    }));

  it("it imported, causes no conflict with the next edit there", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Text", "one");
      await world.sync();
      editText(world, "text", "first");
      await stopAfter(world, "skills.append");
      editText(world, "text", "second");

      assert.equal(await world.sync(), "done");
      assert.equal(await textOf(world, skill.id), "# Text\n\nsecond\n");
      assert.deepEqual(await conflictsOf(world), []);
    }));

  it("it recorded its import, causes no conflict with the next edit there either", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Text", "one");
      await world.sync();
      const write = (file: string, text: string) => {
        world.copy.update();
        world.copy.write(file, `# Text\n\n${text}\n`);
        world.copy.push();
      };
      // Not in our format, so that the agreed content differs from our export.
      for (const file of ["skills/text/SKILL.md", "skills/new/SKILL.md"]) {
        write(file, "first");
        await stopAfter(world, "syncBases.putMany");
        write(file, "second");
        assert.equal(await world.sync(), "done");
        assert.deepEqual(await conflictsOf(world), [], file);
      }
      assert.equal(await textOf(world, skill.id), "# Text\n\nsecond\n");
      assert.equal((await versionsOf(world, skill.id)).length, 3);

      write("skills/text/SKILL.md", "third");
      await stopAfter(world, "syncBases.putMany");
      await publish(world, "Text", "ours");
      write("skills/text/SKILL.md", "fourth");
      assert.equal(await world.sync(), "done");
      assert.deepEqual(await conflictsOf(world), [[6, 5]]);
    }));

  it("it created a skill whose slug was taken, creates no second one from the same directory", () =>
    withWorld(async (world) => {
      await publish(world, "Text", "one");
      await world.sync();
      world.copy.update();
      for (const box of ["a", "b"])
        cpSync(
          path.join(world.copy.folder, "skills/text"),
          path.join(world.copy.folder, `skills/${box}/text`),
          {
            recursive: true,
          },
        );
      world.copy.push();
      await stopAfter(world, "skills.insert");

      assert.equal(await world.sync(), "done");
      const slugs = (await listSkills(world)).map(({ slug }) => slug).toSorted();
      assert.deepEqual(slugs, ["text", "text-2", "text-3"]);
    }));

  const meanwhile: Record<string, (world: SyncWorld, skillId: string) => Promise<unknown>> = {
    "and a version was published since": (world) => publish(world, "Fresh", "theirs, and ours"),
    "and it was moved since": (world, skillId) =>
      service.call("POST", `/api/skills/${skillId}/move`, {
        token: world.owner.token,
        body: { folder: "elsewhere", createFolders: true },
      }),
    "in a folder that is written otherwise": async () => undefined,
  };
  for (const [what, act] of Object.entries(meanwhile))
    it(`it created a skill ${what}, creates no second one from the same directory`, () =>
      withWorld(async (world) => {
        world.copy.write(
          what.includes("otherwise") ? "skills/New Room/fresh/SKILL.md" : "skills/fresh/SKILL.md",
          "# Fresh\n\ntheirs\n",
        );
        world.copy.push();
        await stopAfter(world, "skills.insert");
        const [made] = await listSkills(world);
        await act(world, made!.id);
        const [text, { length }] = [await textOf(world, made!.id), await versionsOf(world, made!.id)];

        assert.equal(await world.sync(), "done");
        assert.deepEqual(
          (await listSkills(world)).map(({ id }) => id),
          [made!.id],
        );
        assert.equal(await textOf(world, made!.id), text);
        assert.equal((await versionsOf(world, made!.id)).length, length);
        world.copy.update();
        const [place, ...others] = skillDirectories(world.copy.folder);
        assert.deepEqual(others, []);
        assert.ok(world.copy.read(`${place}/SKILL.md`).includes(text.trim().split("\n").at(-1)!));
      }));

  for (const step of ["skills.insert", "syncBases.putMany"])
    it(`${step} created a skill from a deleted one's directory, creates no second one`, () =>
      withWorld(async (world) => {
        const skill = await publish(world, "Text", "one");
        await world.sync();
        await service.call("DELETE", `/api/skills/${skill.id}`, { token: world.owner.token });
        await eraseSkill(service.app, { tenantId: world.org.id, skillId: skill.id });
        editText(world, "text", "theirs");
        await stopAfter(world, step);
        const [made] = await listSkills(world);

        assert.equal(await world.sync(), "done");
        assert.deepEqual(
          (await listSkills(world)).map(({ id }) => id),
          [made!.id],
        );
        world.copy.update();
        assert.match(world.copy.read("skills/text/.svc.json"), new RegExp(made!.id));
      }));
});
