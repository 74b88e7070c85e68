/** The content of a push, and what prevents it. */
import assert from "node:assert/strict";
import { cpSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { runGit } from "../support/host/git-host.ts";
import {
  setUpSyncFixtures,
  listSkills,
  publish,
  textOf,
  versionsOf,
  type SyncFixture,
} from "../support/sync/fixture.ts";
import { makePackage } from "../support/zip.ts";

const { service, withFixture } = await setUpSyncFixtures();

describe("the export of large skills", () => {
  it("is one commit if the branch already contains their content, and several otherwise", () =>
    withFixture(async (fixture) => {
      const ids: string[] = [];
      for (const name of ["one", "other"]) {
        const uploadId = await service.upload(fixture.owner, makePackage(name, { "run.sh": `${name}\n` }));
        ids.push((await publish(fixture, name, "", { content: undefined, uploadId })).id);
      }
      await fixture.sync();
      const commits = () => {
        fixture.copy.update();
        return Number(fixture.copy.git("rev-list", "--count", "HEAD"));
      };
      const first = commits();
      // Their recorded size is large, and their path is new.
      await service.app.storage.database.raw
        .collection<{ _id: string }>("skills")
        .updateMany({ _id: { $in: ids } }, { $set: { "current.totalBytes": 70 * 1024 * 1024 } });
      for (const id of ids)
        await service.call("POST", `/api/skills/${id}/move`, {
          token: fixture.owner.token,
          body: { folder: "elsewhere", createFolders: true },
        });

      assert.equal(await fixture.sync(), "done");

      assert.equal(commits(), first + 1);
      assert.ok(fixture.copy.has("skills/elsewhere/one/run.sh"));
      fixture.copy.git("rm", "-rq", "skills/elsewhere");
      fixture.copy.push();
      assert.equal(await fixture.sync(true), "done");
      assert.equal(commits(), first + 4);
    }));
});

describe("a folder at the path of the list of skills", () => {
  it("is reported and kept, and the skills are written", () =>
    withFixture(async (fixture) => {
      fixture.copy.write("skills/README.md/theirs.txt", "theirs\n");
      fixture.copy.push();
      await publish(fixture, "Text", "one");

      for (let i = 0; i < 2; i++) {
        assert.equal(await fixture.sync(), "done");
        assert.deepEqual(
          (await fixture.connection())!.refusals?.map(({ path: at, code }) => [at, code]),
          [["skills/README.md", "path_blocked"]],
        );
      }

      fixture.copy.update();
      assert.equal(fixture.copy.read("skills/README.md/theirs.txt"), "theirs\n");
      assert.ok(fixture.copy.has("skills/text/SKILL.md"));
      fixture.copy.git("rm", "-rq", "skills/README.md");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.match(fixture.copy.read("skills/README.md"), /Text/);
      assert.deepEqual((await fixture.connection())!.refusals, []);
    }));
});

describe("content that is in no version", () => {
  /** Ways for a directory to stop being a skill, by the name of the skill. */
  const ways: Record<string, (fixture: SyncFixture, at: string) => void> = {
    recased: ({ copy }, at) => copy.git("mv", `${at}/SKILL.md`, `${at}/skill.md`),
    replaced: ({ copy }, at) => {
      copy.git("rm", "-q", `${at}/SKILL.md`);
      copy.write(`${at}/notes.txt`, "mine\n");
    },
    emptied: ({ copy }, at) => {
      copy.git("rm", "-rq", at);
      copy.write(`${at}/drafts/notes.txt`, "mine\n");
    },
    linked: ({ copy }, at) => {
      copy.git("mv", `${at}/SKILL.md`, `${at}/text.md`);
      symlinkSync("text.md", path.join(copy.folder, at, "SKILL.md"));
    },
    nested: ({ copy }, at) => {
      copy.git("rm", "-q", `${at}/SKILL.md`);
      copy.write(`${at}/SKILL.md/SKILL.md`, "# Nested\n");
    },
    filed: ({ copy }, at) => {
      copy.git("rm", "-rq", at);
      copy.write(at, "a file\n");
    },
    pointed: ({ copy }, at) => {
      copy.git("rm", "-rq", at);
      symlinkSync("../elsewhere", path.join(copy.folder, at));
    },
    recorded: ({ copy }, at) => {
      copy.git("rm", "-q", `${at}/.svc.json`);
      copy.write(`${at}/.svc.json/mine.txt`, "mine\n");
    },
  };

  for (const mode of ["push", "pull_request"] as const)
    it(`is never overwritten or removed, and is named, with mode ${mode}`, () =>
      withFixture(async (fixture) => {
        const names = Object.keys(ways);
        const ids = new Map<string, string>();
        for (const name of [...names, "fine"]) ids.set(name, (await publish(fixture, name, "one")).id);
        await fixture.sync();
        fixture.copy.update();
        for (const name of names) ways[name]!(fixture, `skills/${name}`);
        fixture.copy.push();
        if (mode === "pull_request")
          await service.app.storage.database.raw
            .collection<{ _id: string }>("connections")
            .updateOne({ _id: fixture.connectionId }, { $set: { mode } });
        const listed = () =>
          names.map((name) => runGit(fixture.remote, "ls-tree", "-r", "main", `skills/${name}`));
        const previous = listed();
        for (const [name, id] of ids) await publishVersion(fixture, id, `# ${name}\n\ntwo\n`);

        for (const full of [false, true, false]) {
          assert.equal(await fixture.sync(full), "done");
          assert.deepEqual(listed(), previous);
          const { refusals } = (await fixture.connection())!;
          const named = new Set(refusals!.map(({ path: at }) => at));
          for (const name of names) assert.ok(named.has(`skills/${name}`), `skills/${name} is named`);
          assert.equal(named.size, names.length, JSON.stringify(refusals));
        }
        const branch = mode === "push" ? "main" : "svc-sync/main";
        assert.match(runGit(fixture.remote, "show", `${branch}:skills/fine/SKILL.md`), /two/);
        for (const name of names)
          assert.equal(
            runGit(fixture.remote, "ls-tree", "-r", branch, `skills/${name}`),
            previous[names.indexOf(name)],
          );

        // Repaired or deleted, each is in sync again.
        fixture.copy.update();
        for (const name of names) fixture.copy.git("rm", "-rq", `skills/${name}`);
        fixture.copy.push();
        assert.equal(await fixture.sync(true), "done");
        assert.deepEqual((await fixture.connection())!.refusals, []);
        for (const name of names)
          assert.match(runGit(fixture.remote, "show", `${branch}:skills/${name}/SKILL.md`), /two/);
      }));

  it("is kept if a renamed skill, a moved folder or a deleted skill leaves or takes its path", () =>
    withFixture(async (fixture) => {
      const ids = new Map<string, string>();
      for (const name of ["renamed", "deleted", "arriving"])
        ids.set(name, (await publish(fixture, name, "one")).id);
      await fixture.sync();
      fixture.copy.update();
      for (const name of ["renamed", "deleted"]) {
        fixture.copy.git("mv", `skills/${name}/SKILL.md`, `skills/${name}/skill.md`);
        fixture.copy.write(`skills/${name}/notes.txt`, "mine\n");
      }
      fixture.copy.write("skills/target/arriving/notes.txt", "mine\n");
      fixture.copy.push();
      const places = ["skills/renamed", "skills/deleted", "skills/target/arriving"];
      const listed = () => places.map((at) => runGit(fixture.remote, "ls-tree", "-r", "main", at));
      const previous = listed();
      const token = { token: fixture.owner.token };
      const call = (method: string, id: string, target: string, body?: object) =>
        service.call(method, `/api/skills/${id}${target}`, { ...token, body });
      const move = { folder: "target", createFolders: true };
      await call("POST", ids.get("renamed")!, "/move", { ...move, folder: "away" });
      await call("POST", ids.get("arriving")!, "/move", move);
      await call("DELETE", ids.get("deleted")!, "");

      for (const full of [false, true]) {
        assert.equal(await fixture.sync(full), "done");
        assert.deepEqual(listed(), previous);
      }

      // A skill that can't be written to its new path stays at its old one.
      assert.match(runGit(fixture.remote, "show", "main:skills/arriving/SKILL.md"), /one/);
      const named = (await fixture.connection())!.refusals!.map(({ path: at }) => at);
      assert.deepEqual(named.toSorted(), [...places].toSorted());
    }));

  it("in the list of skills is kept too, and the list is written again once it is gone", () =>
    withFixture(async (fixture) => {
      const mine = "# My skills\n\nRead this first.\n";
      fixture.copy.write("skills/README.md", mine);
      fixture.copy.push();
      await publish(fixture, "one", "one");
      assert.equal(await fixture.sync(), "done");
      const shown = () => runGit(fixture.remote, "show", "main:skills/README.md");
      const codes = async () =>
        (await fixture.connection())!.refusals!.map(({ path: at, code }) => [at, code]);
      assert.equal(shown(), mine.trimEnd());
      assert.deepEqual(await codes(), [["skills/README.md", "index_edited"]]);

      fixture.copy.update();
      fixture.copy.git("rm", "-q", "skills/README.md");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      assert.match(shown(), /\[one\]\(one\)/);
      assert.deepEqual(await codes(), []);

      fixture.copy.update();
      fixture.copy.write("skills/README.md", `${fixture.copy.read("skills/README.md")}\nMine.\n`);
      fixture.copy.push();
      await publish(fixture, "two", "two");
      assert.equal(await fixture.sync(true), "done");
      assert.match(shown(), /Mine\.$/);
      assert.deepEqual(await codes(), [["skills/README.md", "index_edited"]]);
    }));
});

describe("directories that exchange their paths", () => {
  for (const mode of ["push", "pull_request"] as const)
    it(`move their skills, and no text of one becomes the other's, with mode ${mode}`, () =>
      withFixture(async (fixture) => {
        const names = ["open", "secret", "kept", "copied", "bare"];
        const ids = new Map<string, string>();
        for (const name of names) {
          const visibility = name === "secret" ? "private" : "public";
          ids.set(name, (await publish(fixture, name, `${name} text`, { visibility })).id);
        }
        await fixture.sync();
        if (mode === "pull_request")
          await service.app.storage.database.raw
            .collection<{ _id: string }>("connections")
            .updateOne({ _id: fixture.connectionId }, { $set: { mode } });
        fixture.copy.update();
        const { copy } = fixture;
        const edit = (at: string) => copy.write(`${at}/SKILL.md`, `${copy.read(`${at}/SKILL.md`)}\nedited\n`);
        copy.git("mv", "skills/open", "skills/passing");
        copy.git("mv", "skills/secret", "skills/open");
        copy.git("mv", "skills/passing", "skills/secret");
        edit("skills/open");
        // A copy over another skill, and one without its record.
        for (const name of ["copied", "bare"]) {
          copy.git("rm", "-rq", `skills/${name}`);
          cpSync(path.join(copy.folder, "skills/open"), path.join(copy.folder, `skills/${name}`), {
            recursive: true,
          });
        }
        copy.git("add", "-A");
        copy.git("rm", "-qf", "skills/bare/.svc.json");
        edit("skills/copied");
        copy.push("swap");

        for (const full of [false, true, false]) assert.equal(await fixture.sync(full), "done");

        for (const [name, id] of ids)
          for (const { version } of await versionsOf(fixture, id)) {
            const text = await textOf(fixture, id, version);
            assert.match(text, new RegExp(`${name} text`));
            for (const other of names)
              if (other !== name) assert.doesNotMatch(text, new RegExp(`${other} text`));
          }
        const reported = (await fixture.connection())!.refusals!.map(({ path: at }) => at);
        assert.ok(reported.includes("skills/copied"), JSON.stringify(reported));
        for (const skill of await listSkills(fixture)) {
          const isOurs = [...ids.values()].includes(skill.id) && skill.id !== ids.get("secret");
          assert.equal(skill.visibility, isOurs ? "public" : "private", skill.slug);
        }
      }));
});

async function publishVersion(fixture: SyncFixture, id: string, content: string): Promise<void> {
  const answer = await service.call("POST", `/api/skills/${id}/versions`, {
    token: fixture.owner.token,
    body: { content },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
}

describe("a skill whose stored content is damaged", () => {
  it("is skipped and named, and the others are written", () =>
    withFixture(async (fixture) => {
      const broken = (await publish(fixture, "broken", "one")).id;
      await publish(fixture, "fine", "one");
      const { app } = service;
      await app.repos.erase({ tenantId: fixture.org.id, skillId: broken });

      assert.equal(await fixture.sync(), "done");

      assert.deepEqual(
        (await fixture.connection())!.refusals!.map(({ path: at, code }) => [at, code]),
        [["skills/broken", "unreadable"]],
      );
      assert.match(runGit(fixture.remote, "show", "main:skills/fine/SKILL.md"), /one/);
    }));
});

describe("the yank of the current version", () => {
  it("is exported as the version that becomes current, and is not undone by the next sync", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "Text", "first");
      const { token } = fixture.owner;
      await service.call("POST", `/api/skills/${id}/versions`, { token, body: { content: "second\n" } });
      assert.equal(await fixture.sync(), "done");
      fixture.copy.update();
      assert.match(fixture.copy.read("skills/text/SKILL.md"), /second/);

      const yanked = await service.call("PATCH", `/api/skills/${id}/versions/2`, {
        token,
        body: { yanked: true },
      });
      assert.equal(yanked.status, 200, JSON.stringify(yanked.body));
      for (let i = 0; i < 2; i++) {
        assert.equal(await fixture.sync(), "done");
        fixture.copy.update();
        assert.match(fixture.copy.read("skills/text/SKILL.md"), /first/);
      }

      fixture.copy.write(
        "skills/text/SKILL.md",
        fixture.copy.read("skills/text/SKILL.md").replace("first", "third"),
      );
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      const versions = await service.call<{ semver: string; source: string; sourceCommit?: string }[]>(
        "GET",
        `/api/skills/${id}/versions`,
        { token },
      );
      assert.deepEqual(
        versions.data.map(({ semver, source }) => `${semver} ${source}`),
        ["1.0.2 import", "1.0.1 api", "1.0.0 api"],
      );
      assert.match(versions.data[0]!.sourceCommit!, /^[0-9a-f]{40}$/);
    }));
});
