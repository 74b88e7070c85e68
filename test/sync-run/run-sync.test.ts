import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { runGit } from "../support/host/git-host.ts";
import { newFolder, restrict } from "../support/organization.ts";
import {
  setUpSyncFixtures,
  listSkills,
  publish,
  skillDirectories,
  textOf,
  versionsOf,
  type SyncFixture,
} from "../support/sync/fixture.ts";
import { makePackage } from "../support/zip.ts";

const { service, withFixture } = await setUpSyncFixtures();

/** Asserts that a sync without changes creates no commit and no version. */
async function assertStill(fixture: SyncFixture): Promise<void> {
  const held = [fixture.tip(), ...(await listSkills(fixture)).map(({ id }) => id)];
  const versions = await Promise.all((await listSkills(fixture)).map(({ id }) => versionsOf(fixture, id)));
  assert.equal(await fixture.sync(), "done");
  assert.deepEqual([fixture.tip(), ...(await listSkills(fixture)).map(({ id }) => id)], held);
  assert.deepEqual(
    await Promise.all((await listSkills(fixture)).map(({ id }) => versionsOf(fixture, id))),
    versions,
  );
}

describe("the first sync", () => {
  it("writes every skill, of any visibility, below skills/ and changes nothing else", () =>
    withFixture(async (fixture) => {
      fixture.copy.write("README.md", "ours\n");
      fixture.copy.write("src/main.c", "int main;\n");
      fixture.copy.push("first");
      const room = await newFolder(service, fixture.org, fixture.owner, "ops/secret");
      await restrict(service, fixture.owner, room.id, []);
      await publish(fixture, "Plain", "hello");
      await publish(fixture, "Open", "hello", { visibility: "public", tags: ["a", "b"] });
      await publish(fixture, "Hidden", "hello", { folder: "ops/secret" });
      await publish(fixture, "House", "be kind", { type: "rule" });
      const uploadId = await service.upload(
        fixture.owner,
        makePackage("kit", { "scripts/run.sh": "#!/bin/sh\n", "assets/ü 漢字.txt": "x" }),
      );
      await publish(fixture, "kit", "", { content: undefined, uploadId });

      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.deepEqual(skillDirectories(fixture.copy.folder).toSorted(), [
        "skills/house",
        "skills/kit",
        "skills/open",
        "skills/ops/secret/hidden",
        "skills/plain",
      ]);
      assert.equal(fixture.copy.read("README.md"), "ours\n");
      assert.match(
        fixture.copy.read("skills/plain/SKILL.md"),
        /^---\nname: plain\n[^]*---\n\n<!-- svc:managed [^\n]*-->\n\n# Plain\n\nhello\n$/,
      );
      assert.match(fixture.copy.read("skills/house/RULE.md"), /be kind/);
      assert.equal(fixture.copy.read("skills/kit/scripts/run.sh"), "#!/bin/sh\n");
      assert.equal(fixture.copy.read("skills/kit/assets/ü 漢字.txt"), "x");
      const record = JSON.parse(fixture.copy.read("skills/open/.svc.json")) as Record<string, unknown>;
      assert.deepEqual(
        { ...record, id: undefined },
        {
          id: undefined,
          version: 1,
          semver: "1.0.0",
          type: "skill",
          visibility: "public",
          tags: ["a", "b"],
          author: { name: fixture.owner.username, username: fixture.owner.username },
          versionAuthor: { name: fixture.owner.username, username: fixture.owner.username },
        },
      );
      assert.match(fixture.copy.read("skills/README.md"), /\[Plain\]\(plain\)/);
      assert.equal(fixture.copy.git("log", "--format=%s").split("\n").length, 2);
      runGit(fixture.remote, "fsck", "--full", "--strict");
      await assertStill(fixture);
    }));

  it("creates the first commit of an empty repository", () =>
    withFixture(async (fixture) => {
      await publish(fixture, "One", "hello");
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.deepEqual(skillDirectories(fixture.copy.folder), ["skills/one"]);
      await assertStill(fixture);
    }));
});

describe("an edit in the repository", () => {
  it("of a text becomes a version by the member who connected, with commit and author", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Text", "one", { description: "Says it." });
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write(
        "skills/text/SKILL.md",
        fixture.copy.read("skills/text/SKILL.md").replace("\n\none", "\n\ntwo"),
      );
      const commit = fixture.copy.push("Say two");
      assert.equal(await fixture.sync(), "done");

      const [newest] = await versionsOf(fixture, skill.id);
      assert.equal(newest!.semver, "1.0.1");
      assert.equal(newest!.message, `Say two (${commit.slice(0, 7)} by Remote Author)`);
      assert.equal(newest!.author?.username, fixture.owner.username);
      assert.equal(await textOf(fixture, skill.id), "# Text\n\ntwo\n");
      fixture.copy.update();
      const record = JSON.parse(fixture.copy.read("skills/text/.svc.json")) as { version: number };
      assert.equal(record.version, 2);
      assert.equal(fixture.copy.git("diff", "--name-only", "HEAD~1"), "skills/text/.svc.json");
      await assertStill(fixture);
    }));

  it("of a package becomes a version, other files included", () =>
    withFixture(async (fixture) => {
      const uploadId = await service.upload(fixture.owner, makePackage("kit", { "scripts/run.sh": "one\n" }));
      const skill = await publish(fixture, "kit", "", { content: undefined, uploadId });
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/kit/scripts/run.sh", "two\n");
      fixture.copy.write("skills/kit/more/deep.txt", "new\n");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      const file = await service.raw("GET", `/api/skills/${skill.id}/files/more/deep.txt`, {
        token: fixture.owner.token,
      });
      assert.equal(await file.text(), "new\n");
      await assertStill(fixture);
    }));

  it("that adds a directory creates a private skill, in the matching folder", () =>
    withFixture(async (fixture) => {
      fixture.copy.write(
        "skills/team/fresh/SKILL.md",
        "---\nname: fresh\ndescription: New here.\n---\n\n# Fresh\n",
      );
      fixture.copy.write("skills/law/RULE.md", "# Law\n\nNo shouting.\n");
      fixture.copy.write("skills/team/notes.txt", "no skill\n");
      fixture.copy.push("Add two");
      assert.equal(await fixture.sync(), "done");
      const skills = await listSkills(fixture);
      assert.deepEqual(
        skills.map(({ slug, type, visibility }) => `${slug} ${type} ${visibility}`).toSorted(),
        ["fresh skill private", "law rule private"],
      );
      assert.notEqual(skills.find(({ slug }) => slug === "fresh")!.folderId, null);
      fixture.copy.update();
      assert.equal(fixture.copy.read("skills/team/notes.txt"), "no skill\n");
      assert.ok(fixture.copy.has("skills/team/fresh/.svc.json"));
      await assertStill(fixture);
    }));

  it("of .svc.json or the header creates no version", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Meta", "one");
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/meta/.svc.json", '{"id":"other","visibility":"public"}\n');
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      fixture.copy.write(
        "skills/meta/SKILL.md",
        fixture.copy.read("skills/meta/SKILL.md").replace(/<!-- svc:managed[^\n]*\n\n/, ""),
      );
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      assert.equal((await versionsOf(fixture, skill.id)).length, 1);
      assert.equal((await listSkills(fixture))[0]!.visibility, "private");
      assert.equal(await fixture.sync(true), "done");
      fixture.copy.update();
      assert.match(fixture.copy.read("skills/meta/.svc.json"), new RegExp(skill.id));
      await assertStill(fixture);
    }));

  it("that deletes or moves a directory does neither to the skill; a full sync restores it", () =>
    withFixture(async (fixture) => {
      const gone = await publish(fixture, "Gone", "one");
      const moved = await publish(fixture, "Moved", "one");
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.git("rm", "-rq", "skills/gone");
      fixture.copy.git("mv", "skills/moved", "skills/elsewhere");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual((await listSkills(fixture)).map(({ slug }) => slug).toSorted(), ["gone", "moved"]);
      fixture.copy.update();
      assert.deepEqual(skillDirectories(fixture.copy.folder), ["skills/elsewhere"]);

      fixture.copy.write(
        "skills/elsewhere/SKILL.md",
        fixture.copy.read("skills/elsewhere/SKILL.md").replace("\n\none", "\n\ntwo"),
      );
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      assert.equal(await textOf(fixture, moved.id), "# Moved\n\ntwo\n");

      assert.equal(await fixture.sync(true), "done");
      fixture.copy.update();
      assert.deepEqual(skillDirectories(fixture.copy.folder).toSorted(), ["skills/gone", "skills/moved"]);
      assert.equal((await versionsOf(fixture, gone.id)).length, 1);
      await assertStill(fixture);
    }));

  it("that copies a directory creates a new skill", () =>
    withFixture(async (fixture) => {
      const original = await publish(fixture, "Original", "one");
      await fixture.sync();
      fixture.copy.update();
      cpSync(
        path.join(fixture.copy.folder, "skills/original"),
        path.join(fixture.copy.folder, "skills/copied"),
        {
          recursive: true,
        },
      );
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual((await listSkills(fixture)).map(({ slug }) => slug).toSorted(), [
        "copied",
        "original",
      ]);
      assert.equal((await versionsOf(fixture, original.id)).length, 1);
      fixture.copy.update();
      assert.doesNotMatch(fixture.copy.read("skills/copied/.svc.json"), new RegExp(original.id));
      await assertStill(fixture);
    }));
});

describe("a change on both sides", () => {
  it("keeps both in the history, with the repository's on top", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Both", "one");
      await fixture.sync();
      const { follows, followedChanges } = service.app.storage;
      const follower = { _id: service.app.newId(), userId: "follower", kind: "skill" } as const;
      const { tenantId } = (await service.app.storage.skills.find(skill.id))!;
      await follows.put({ ...follower, tenantId, targetId: skill.id, createdAt: service.app.now() });
      fixture.copy.update();
      fixture.copy.write(
        "skills/both/SKILL.md",
        fixture.copy.read("skills/both/SKILL.md").replace("\n\none", "\n\ntheirs"),
      );
      const commit = fixture.copy.push();
      await publish(fixture, "Both", "ours");
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual(
        (await versionsOf(fixture, skill.id)).map(({ version }) => version),
        [3, 2, 1],
      );
      assert.equal(await textOf(fixture, skill.id), "# Both\n\ntheirs\n");
      assert.equal(await textOf(fixture, skill.id, 2), "# Both\n\nours\n");
      const [conflict] = await service.app.storage.syncConflicts.list({
        connectionId: fixture.connectionId,
        limit: 10,
      });
      assert.deepEqual(
        [conflict?.winning, conflict?.losing, conflict?.commit, conflict?.authorName],
        [3, 2, commit, "Remote Author"],
      );
      await service.settled();
      const noted = await followedChanges.list("follower", undefined, 10);
      assert.deepEqual(noted.map(({ kind, semver }) => `${kind} ${semver}`).toSorted(), [
        "conflict 1.0.2",
        "version 1.0.1",
        "version 1.0.2",
      ]);
      await assertStill(fixture);
    }));

  it("restores the edit as a new private skill if the service deleted and the repository edited it", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Phoenix", "one", { visibility: "public" });
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write(
        "skills/phoenix/SKILL.md",
        fixture.copy.read("skills/phoenix/SKILL.md").replace("\n\none", "\n\nashes"),
      );
      fixture.copy.push();
      const gone = await service.call("DELETE", `/api/skills/${skill.id}`, { token: fixture.owner.token });
      assert.equal(gone.status, 200);
      assert.equal(await fixture.sync(), "done");
      const [back, ...others] = await listSkills(fixture);
      assert.deepEqual([others, back!.visibility, back!.id === skill.id], [[], "private", false]);
      assert.match(await textOf(fixture, back!.id), /ashes/);
      await assertStill(fixture);
    }));
});

describe("a change in the service", () => {
  it("of a folder's name moves directories and changes nothing else", () =>
    withFixture(async (fixture) => {
      const folder = await newFolder(service, fixture.org, fixture.owner, "old");
      await publish(fixture, "Inside", "one", { folder: "old" });
      await publish(fixture, "Outside", "one");
      await fixture.sync();
      const renamed = await service.call("PATCH", `/api/folders/${folder.id}`, {
        token: fixture.owner.token,
        body: { name: "new" },
      });
      assert.equal(renamed.status, 200);
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.deepEqual(skillDirectories(fixture.copy.folder), ["skills/new/inside", "skills/outside"]);
      assert.match(
        fixture.copy.git("diff", "--name-status", "-M", "HEAD~1"),
        /R\d+\tskills\/old\/inside\/SKILL.md\tskills\/new\/inside\/SKILL.md/,
      );
      await assertStill(fixture);
    }));

  it("that deletes a skill removes its directory, and no other file", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Short", "one", { folder: "room", createFolders: true });
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/room/notes.txt", "mine\n");
      fixture.copy.push();
      await service.call("DELETE", `/api/skills/${skill.id}`, { token: fixture.owner.token });
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.deepEqual(
        [fixture.copy.has("skills/room/short"), fixture.copy.read("skills/room/notes.txt")],
        [false, "mine\n"],
      );
      await assertStill(fixture);
    }));
});

describe("a directory that can't be imported", () => {
  it("is reported, is not overwritten, and blocks nothing else", () =>
    withFixture(async (fixture) => {
      const broken = await publish(fixture, "Broken", "one");
      const fine = await publish(fixture, "Fine", "one");
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write("skills/broken/SKILL.md", "---\nname: [\n---\n\nnot yaml\n");
      fixture.copy.write(
        "skills/fine/SKILL.md",
        fixture.copy.read("skills/fine/SKILL.md").replace("\n\none", "\n\ntwo"),
      );
      fixture.copy.push();
      assert.equal(await fixture.sync(true), "done");
      assert.equal(await textOf(fixture, fine.id), "# Fine\n\ntwo\n");
      assert.equal((await versionsOf(fixture, broken.id)).length, 1);
      fixture.copy.update();
      assert.match(fixture.copy.read("skills/broken/SKILL.md"), /not yaml/);
      const [problem] = await service.app.storage.syncBases.listProblems(fixture.connectionId, 10);
      assert.equal(problem?.skillId, broken.id);

      fixture.copy.write("skills/broken/SKILL.md", "---\nname: broken\n---\n\n# Broken\n\nmended\n");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      assert.match(await textOf(fixture, broken.id), /mended/);
      assert.deepEqual(await service.app.storage.syncBases.listProblems(fixture.connectionId, 10), []);
      await assertStill(fixture);
    }));

  it("is not overwritten by the skill of that path either", () =>
    withFixture(async (fixture) => {
      const skill = await publish(fixture, "Broken", "one");
      fixture.copy.write("skills/broken/SKILL.md", "---\nname: [\n---\n\nnot yaml\n");
      fixture.copy.push();
      for (const full of [false, true]) {
        assert.equal(await fixture.sync(full), "done");
        fixture.copy.update();
        assert.match(fixture.copy.read("skills/broken/SKILL.md"), /not yaml/);
      }
      assert.deepEqual(
        (await fixture.connection())!.refusals?.map((one) => one.path),
        ["skills/broken"],
      );

      fixture.copy.git("rm", "-qr", "skills/broken");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.match(fixture.copy.read("skills/broken/SKILL.md"), /# Broken\n\none/);
      assert.match(fixture.copy.read("skills/broken/.svc.json"), new RegExp(skill.id));
      await assertStill(fixture);
    }));
});
