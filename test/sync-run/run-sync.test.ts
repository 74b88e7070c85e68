import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { runGit } from "../support/git-host.ts";
import { newFolder, restrict } from "../support/organization.ts";
import { startService, type TestService } from "../support/service.ts";
import { makePackage } from "../support/zip.ts";
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
before(async () => {
  service = await startService();
});
after(() => service.close());

/** Asserts that a sync without changes creates no commit and no version. */
async function assertStill(world: SyncWorld): Promise<void> {
  const held = [world.tip(), ...(await listSkills(world)).map(({ id }) => id)];
  const versions = await Promise.all((await listSkills(world)).map(({ id }) => versionsOf(world, id)));
  assert.equal(await world.sync(), "done");
  assert.deepEqual([world.tip(), ...(await listSkills(world)).map(({ id }) => id)], held);
  assert.deepEqual(
    await Promise.all((await listSkills(world)).map(({ id }) => versionsOf(world, id))),
    versions,
  );
}

const withWorld = (test: (world: SyncWorld) => Promise<void>) => inWorld(service, test);

describe("the first sync", () => {
  it("writes every skill, of any visibility, below skills/ and changes nothing else", () =>
    withWorld(async (world) => {
      world.copy.write("README.md", "ours\n");
      world.copy.write("src/main.c", "int main;\n");
      world.copy.push("first");
      const room = await newFolder(service, world.org, world.owner, "ops/secret");
      await restrict(service, world.owner, room.id, []);
      await publish(world, "Plain", "hello");
      await publish(world, "Open", "hello", { visibility: "public", tags: ["a", "b"] });
      await publish(world, "Hidden", "hello", { folder: "ops/secret" });
      await publish(world, "House", "be kind", { type: "rule" });
      const uploadId = await service.upload(
        world.owner,
        makePackage("kit", { "scripts/run.sh": "#!/bin/sh\n", "assets/ü 漢字.txt": "x" }),
      );
      await publish(world, "kit", "", { content: undefined, uploadId });

      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.deepEqual(skillDirectories(world.copy.folder).toSorted(), [
        "skills/house",
        "skills/kit",
        "skills/open",
        "skills/ops/secret/hidden",
        "skills/plain",
      ]);
      assert.equal(world.copy.read("README.md"), "ours\n");
      assert.match(
        world.copy.read("skills/plain/SKILL.md"),
        /^---\nname: plain\n[^]*---\n\n<!-- svc:managed [^\n]*-->\n\n# Plain\n\nhello\n$/,
      );
      assert.match(world.copy.read("skills/house/RULE.md"), /be kind/);
      assert.equal(world.copy.read("skills/kit/scripts/run.sh"), "#!/bin/sh\n");
      assert.equal(world.copy.read("skills/kit/assets/ü 漢字.txt"), "x");
      const record = JSON.parse(world.copy.read("skills/open/.svc.json")) as Record<string, unknown>;
      assert.deepEqual(
        { ...record, id: undefined },
        {
          id: undefined,
          version: 1,
          semver: "1.0.0",
          type: "skill",
          visibility: "public",
          tags: ["a", "b"],
          author: { name: world.owner.username, username: world.owner.username },
          versionAuthor: { name: world.owner.username, username: world.owner.username },
        },
      );
      assert.match(world.copy.read("skills/README.md"), /\[Plain\]\(plain\)/);
      assert.equal(world.copy.git("log", "--format=%s").split("\n").length, 2);
      runGit(world.remote, "fsck", "--full", "--strict");
      await assertStill(world);
    }));

  it("creates the first commit of an empty repository", () =>
    withWorld(async (world) => {
      await publish(world, "One", "hello");
      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.deepEqual(skillDirectories(world.copy.folder), ["skills/one"]);
      await assertStill(world);
    }));
});

describe("an edit in the repository", () => {
  it("of a text becomes a version by the member who connected, with commit and author", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Text", "one", { description: "Says it." });
      await world.sync();
      world.copy.update();
      world.copy.write(
        "skills/text/SKILL.md",
        world.copy.read("skills/text/SKILL.md").replace("\n\none", "\n\ntwo"),
      );
      const commit = world.copy.push("Say two");
      assert.equal(await world.sync(), "done");

      const [newest] = await versionsOf(world, skill.id);
      assert.equal(newest!.semver, "1.0.1");
      assert.equal(newest!.message, `Say two (${commit.slice(0, 7)} by Gita)`);
      assert.equal(newest!.author?.username, world.owner.username);
      assert.equal(await textOf(world, skill.id), "# Text\n\ntwo\n");
      world.copy.update();
      const record = JSON.parse(world.copy.read("skills/text/.svc.json")) as { version: number };
      assert.equal(record.version, 2);
      assert.equal(world.copy.git("diff", "--name-only", "HEAD~1"), "skills/text/.svc.json");
      await assertStill(world);
    }));

  it("of a package becomes a version, other files included", () =>
    withWorld(async (world) => {
      const uploadId = await service.upload(world.owner, makePackage("kit", { "scripts/run.sh": "one\n" }));
      const skill = await publish(world, "kit", "", { content: undefined, uploadId });
      await world.sync();
      world.copy.update();
      world.copy.write("skills/kit/scripts/run.sh", "two\n");
      world.copy.write("skills/kit/more/deep.txt", "new\n");
      world.copy.push();
      assert.equal(await world.sync(), "done");
      const file = await service.raw("GET", `/api/skills/${skill.id}/files/more/deep.txt`, {
        token: world.owner.token,
      });
      assert.equal(await file.text(), "new\n");
      await assertStill(world);
    }));

  it("that adds a directory creates a private skill, in the matching folder", () =>
    withWorld(async (world) => {
      world.copy.write(
        "skills/team/fresh/SKILL.md",
        "---\nname: fresh\ndescription: New here.\n---\n\n# Fresh\n",
      );
      world.copy.write("skills/law/RULE.md", "# Law\n\nNo shouting.\n");
      world.copy.write("skills/team/notes.txt", "no skill\n");
      world.copy.push("Add two");
      assert.equal(await world.sync(), "done");
      const skills = await listSkills(world);
      assert.deepEqual(
        skills.map(({ slug, type, visibility }) => `${slug} ${type} ${visibility}`).toSorted(),
        ["fresh skill private", "law rule private"],
      );
      assert.notEqual(skills.find(({ slug }) => slug === "fresh")!.folderId, null);
      world.copy.update();
      assert.equal(world.copy.read("skills/team/notes.txt"), "no skill\n");
      assert.ok(world.copy.has("skills/team/fresh/.svc.json"));
      await assertStill(world);
    }));

  it("of .svc.json or the header creates no version", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Meta", "one");
      await world.sync();
      world.copy.update();
      world.copy.write("skills/meta/.svc.json", '{"id":"other","visibility":"public"}\n');
      world.copy.push();
      assert.equal(await world.sync(), "done");
      world.copy.update();
      world.copy.write(
        "skills/meta/SKILL.md",
        world.copy.read("skills/meta/SKILL.md").replace(/<!-- svc:managed[^\n]*\n\n/, ""),
      );
      world.copy.push();
      assert.equal(await world.sync(), "done");
      assert.equal((await versionsOf(world, skill.id)).length, 1);
      assert.equal((await listSkills(world))[0]!.visibility, "private");
      assert.equal(await world.sync(true), "done");
      world.copy.update();
      assert.match(world.copy.read("skills/meta/.svc.json"), new RegExp(skill.id));
      await assertStill(world);
    }));

  it("that deletes or moves a directory does neither to the skill; a full sync restores it", () =>
    withWorld(async (world) => {
      const gone = await publish(world, "Gone", "one");
      const moved = await publish(world, "Moved", "one");
      await world.sync();
      world.copy.update();
      world.copy.git("rm", "-rq", "skills/gone");
      world.copy.git("mv", "skills/moved", "skills/elsewhere");
      world.copy.push();
      assert.equal(await world.sync(), "done");
      assert.deepEqual((await listSkills(world)).map(({ slug }) => slug).toSorted(), ["gone", "moved"]);
      world.copy.update();
      assert.deepEqual(skillDirectories(world.copy.folder), ["skills/elsewhere"]);

      world.copy.write(
        "skills/elsewhere/SKILL.md",
        world.copy.read("skills/elsewhere/SKILL.md").replace("\n\none", "\n\ntwo"),
      );
      world.copy.push();
      assert.equal(await world.sync(), "done");
      assert.equal(await textOf(world, moved.id), "# Moved\n\ntwo\n");

      assert.equal(await world.sync(true), "done");
      world.copy.update();
      assert.deepEqual(skillDirectories(world.copy.folder).toSorted(), ["skills/gone", "skills/moved"]);
      assert.equal((await versionsOf(world, gone.id)).length, 1);
      await assertStill(world);
    }));

  it("that copies a directory creates a new skill", () =>
    withWorld(async (world) => {
      const original = await publish(world, "Original", "one");
      await world.sync();
      world.copy.update();
      cpSync(path.join(world.copy.folder, "skills/original"), path.join(world.copy.folder, "skills/copied"), {
        recursive: true,
      });
      world.copy.push();
      assert.equal(await world.sync(), "done");
      assert.deepEqual((await listSkills(world)).map(({ slug }) => slug).toSorted(), ["copied", "original"]);
      assert.equal((await versionsOf(world, original.id)).length, 1);
      world.copy.update();
      assert.doesNotMatch(world.copy.read("skills/copied/.svc.json"), new RegExp(original.id));
      await assertStill(world);
    }));
});

describe("a change on both sides", () => {
  it("keeps both in the history, with the repository's on top", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Both", "one");
      await world.sync();
      world.copy.update();
      world.copy.write(
        "skills/both/SKILL.md",
        world.copy.read("skills/both/SKILL.md").replace("\n\none", "\n\ntheirs"),
      );
      const commit = world.copy.push();
      await publish(world, "Both", "ours");
      assert.equal(await world.sync(), "done");
      assert.deepEqual(
        (await versionsOf(world, skill.id)).map(({ version }) => version),
        [3, 2, 1],
      );
      assert.equal(await textOf(world, skill.id), "# Both\n\ntheirs\n");
      assert.equal(await textOf(world, skill.id, 2), "# Both\n\nours\n");
      const [conflict] = await service.app.storage.syncConflicts.list({
        connectionId: world.connectionId,
        limit: 10,
      });
      assert.deepEqual(
        [conflict?.winning, conflict?.losing, conflict?.commit, conflict?.authorName],
        [3, 2, commit, "Gita"],
      );
      await assertStill(world);
    }));

  it("restores the edit as a new private skill if the service deleted and the repository edited it", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Phoenix", "one", { visibility: "public" });
      await world.sync();
      world.copy.update();
      world.copy.write(
        "skills/phoenix/SKILL.md",
        world.copy.read("skills/phoenix/SKILL.md").replace("\n\none", "\n\nashes"),
      );
      world.copy.push();
      const gone = await service.call("DELETE", `/api/skills/${skill.id}`, { token: world.owner.token });
      assert.equal(gone.status, 200);
      assert.equal(await world.sync(), "done");
      const [back, ...others] = await listSkills(world);
      assert.deepEqual([others, back!.visibility, back!.id === skill.id], [[], "private", false]);
      assert.match(await textOf(world, back!.id), /ashes/);
      await assertStill(world);
    }));
});

describe("a change in the service", () => {
  it("of a folder's name moves directories and changes nothing else", () =>
    withWorld(async (world) => {
      const folder = await newFolder(service, world.org, world.owner, "old");
      await publish(world, "Inside", "one", { folder: "old" });
      await publish(world, "Outside", "one");
      await world.sync();
      const renamed = await service.call("PATCH", `/api/folders/${folder.id}`, {
        token: world.owner.token,
        body: { name: "new" },
      });
      assert.equal(renamed.status, 200);
      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.deepEqual(skillDirectories(world.copy.folder), ["skills/new/inside", "skills/outside"]);
      assert.match(
        world.copy.git("diff", "--name-status", "-M", "HEAD~1"),
        /R\d+\tskills\/old\/inside\/SKILL.md\tskills\/new\/inside\/SKILL.md/,
      );
      await assertStill(world);
    }));

  it("that deletes a skill removes its directory, and no other file", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Short", "one", { folder: "room", createFolders: true });
      await world.sync();
      world.copy.update();
      world.copy.write("skills/room/notes.txt", "mine\n");
      world.copy.push();
      await service.call("DELETE", `/api/skills/${skill.id}`, { token: world.owner.token });
      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.deepEqual(
        [world.copy.has("skills/room/short"), world.copy.read("skills/room/notes.txt")],
        [false, "mine\n"],
      );
      await assertStill(world);
    }));
});

describe("a directory that can't be imported", () => {
  it("is reported, is not overwritten, and blocks nothing else", () =>
    withWorld(async (world) => {
      const broken = await publish(world, "Broken", "one");
      const fine = await publish(world, "Fine", "one");
      await world.sync();
      world.copy.update();
      world.copy.write("skills/broken/SKILL.md", "---\nname: [\n---\n\nnot yaml\n");
      world.copy.write(
        "skills/fine/SKILL.md",
        world.copy.read("skills/fine/SKILL.md").replace("\n\none", "\n\ntwo"),
      );
      world.copy.push();
      assert.equal(await world.sync(true), "done");
      assert.equal(await textOf(world, fine.id), "# Fine\n\ntwo\n");
      assert.equal((await versionsOf(world, broken.id)).length, 1);
      world.copy.update();
      assert.match(world.copy.read("skills/broken/SKILL.md"), /not yaml/);
      const [problem] = await service.app.storage.syncBases.listProblems(world.connectionId, 10);
      assert.equal(problem?.skillId, broken.id);

      world.copy.write("skills/broken/SKILL.md", "---\nname: broken\n---\n\n# Broken\n\nmended\n");
      world.copy.push();
      assert.equal(await world.sync(), "done");
      assert.match(await textOf(world, broken.id), /mended/);
      assert.deepEqual(await service.app.storage.syncBases.listProblems(world.connectionId, 10), []);
      await assertStill(world);
    }));

  it("is not overwritten by the skill of that path either", () =>
    withWorld(async (world) => {
      const skill = await publish(world, "Broken", "one");
      world.copy.write("skills/broken/SKILL.md", "---\nname: [\n---\n\nnot yaml\n");
      world.copy.push();
      for (const full of [false, true]) {
        assert.equal(await world.sync(full), "done");
        world.copy.update();
        assert.match(world.copy.read("skills/broken/SKILL.md"), /not yaml/);
      }
      assert.deepEqual(
        (await world.connection())!.refusals?.map((one) => one.path),
        ["skills/broken"],
      );

      world.copy.git("rm", "-qr", "skills/broken");
      world.copy.push();
      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.match(world.copy.read("skills/broken/SKILL.md"), /# Broken\n\none/);
      assert.match(world.copy.read("skills/broken/.svc.json"), new RegExp(skill.id));
      await assertStill(world);
    }));
});
