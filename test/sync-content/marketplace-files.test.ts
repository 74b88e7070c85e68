/** The option of a connection by which its repository is a marketplace of plugins. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConnectionPayload } from "../../contract/payloads/sync.ts";
import { runGit } from "../support/host/git-host.ts";
import { listSkills, publish, setUpSyncFixtures, type SyncFixture } from "../support/sync/fixture.ts";

const { service, withFixture } = await setUpSyncFixtures();

const lists = [
  ".agents/plugins/marketplace.json",
  ".claude-plugin/marketplace.json",
  ".cursor-plugin/marketplace.json",
  ".github/plugin/marketplace.json",
] as const;
const folder = ".agents/plugins/svc";

interface Listed {
  name: string;
  plugins: {
    name: string;
    source: string | { path: string };
    description?: string;
    version?: string;
    skills?: string[];
  }[];
  renames?: Record<string, string | null>;
}

const show = ({ remote }: SyncFixture, path: string) => runGit(remote, "show", `main:${path}`);
const listed = (fixture: SyncFixture, path: string): Listed => JSON.parse(show(fixture, path));
const paths = ({ remote }: SyncFixture) => runGit(remote, "ls-tree", "-r", "--name-only", "main").split("\n");
const idOf = ({ remote }: SyncFixture, path: string) => runGit(remote, "rev-parse", `main:${path}`);
const codes = async (fixture: SyncFixture) =>
  (await fixture.connection())!.refusals!.map(({ path, code }) => [path, code]);

/** Sets the option, and returns the connection. */
async function set({ org, owner }: SyncFixture, marketplace: boolean): Promise<ConnectionPayload> {
  const path = `/api/tenants/${org.id}/repo-sync`;
  const answer = await service.call<ConnectionPayload>("PATCH", path, {
    token: owner.token,
    body: { marketplace },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
}

describe("the marketplace files of a connection", () => {
  it("are written once the option is on, name the skills where they are, and do not change again", () =>
    withFixture(async (fixture) => {
      await publish(fixture, "Release notes", "one", { folder: "ops", createFolders: true });
      await publish(fixture, "House style", "be brief", { type: "rule" });
      await fixture.sync();
      assert.ok(!paths(fixture).some((path) => path.includes("marketplace")));

      const { wanted } = (await fixture.connection())!;
      assert.equal((await set(fixture, true)).marketplace, true);
      assert.ok((await fixture.connection())!.fullWanted > wanted, "a whole sync is requested");
      assert.equal(await fixture.sync(), "done");

      const name = `${fixture.org.slug}-repository`;
      for (const path of [".claude-plugin/marketplace.json", ".github/plugin/marketplace.json"]) {
        const [plugin, ...others] = listed(fixture, path).plugins;
        assert.deepEqual(others, []);
        assert.deepEqual(
          [listed(fixture, path).name, plugin!.name, plugin!.source, plugin!.skills, plugin!.version],
          [name, "release-notes", "./skills/ops/release-notes", ["./"], "1.0.0"],
        );
      }
      const [codex] = listed(fixture, ".agents/plugins/marketplace.json").plugins;
      assert.deepEqual(codex!.source, { source: "local", path: `./${folder}/release-notes` });
      assert.deepEqual(
        listed(fixture, ".cursor-plugin/marketplace.json").plugins.map(({ source }) => source),
        [`./${folder}/house-style`, `./${folder}/release-notes`],
      );
      const copied = `${folder}/release-notes/skills/release-notes`;
      assert.equal(idOf(fixture, copied), idOf(fixture, "skills/ops/release-notes"));
      for (const path of [".codex-plugin/plugin.json", ".cursor-plugin/plugin.json"])
        assert.equal(JSON.parse(show(fixture, `${folder}/release-notes/${path}`)).name, "release-notes");
      assert.match(show(fixture, `${folder}/house-style/rules/house-style.mdc`), /be brief/);
      const tip = fixture.tip();
      assert.equal(await fixture.sync(true), "done");
      assert.equal(fixture.tip(), tip);
      assert.deepEqual(await codes(fixture), []);
    }));

  it("say that a skill or its current version is deprecated, until that is undone", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "One", "first", { description: "About one." });
      await set(fixture, true);
      const described = async (method: string, at: string, deprecated: string | null) => {
        const { token } = fixture.owner;
        const answer = await service.call(method, `/api/skills/${id}${at}`, { token, body: { deprecated } });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.equal(await fixture.sync(), "done");
        const [plugin] = listed(fixture, ".claude-plugin/marketplace.json").plugins;
        return plugin!.description;
      };
      assert.equal(await described("PUT", "", "Use two."), "[Deprecated: Use two.] About one.");
      assert.equal(await described("PUT", "", null), "About one.");
      const version = "/versions/1.0.0";
      assert.equal(await described("PATCH", version, "It is slow."), "[Deprecated: It is slow.] About one.");
      assert.equal(await described("PATCH", version, null), "About one.");
    }));

  it("follow the skills: a new version, a move, a rename and a deletion", () =>
    withFixture(async (fixture) => {
      const { id } = await publish(fixture, "One", "first");
      await publish(fixture, "Two", "first");
      await set(fixture, true);
      await fixture.sync();
      await publish(fixture, "One", "second");
      const move = { folder: "ops", createFolders: true };
      const token = fixture.owner.token;
      assert.equal((await service.call("POST", `/api/skills/${id}/move`, { token, body: move })).status, 200);
      assert.equal(await fixture.sync(), "done");

      const [one] = listed(fixture, ".claude-plugin/marketplace.json").plugins;
      assert.deepEqual([one!.source, one!.version], ["./skills/ops/one", "1.0.1"]);
      assert.match(show(fixture, `${folder}/one/skills/one/SKILL.md`), /second/);

      const renamed = await service.call("POST", `/api/skills/${id}/rename`, {
        token,
        body: { slug: "uno" },
      });
      assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
      assert.equal(await fixture.sync(), "done");
      const list = listed(fixture, ".claude-plugin/marketplace.json");
      assert.deepEqual(
        [list.plugins.map(({ name }) => name), list.renames],
        [["two", "uno"], { one: "uno" }],
      );
      assert.ok(!paths(fixture).some((path) => path.startsWith(`${folder}/one/`)));

      assert.equal((await service.call("DELETE", `/api/skills/${id}`, { token })).status, 200);
      assert.equal(await fixture.sync(), "done");
      for (const path of lists)
        assert.deepEqual(
          listed(fixture, path).plugins.map(({ name }) => name),
          ["two"],
        );
      assert.ok(!paths(fixture).some((path) => path.startsWith(`${folder}/uno/`)));
      assert.equal(listed(fixture, ".claude-plugin/marketplace.json").renames, undefined);
    }));

  it("are restored after edits, which never become skills or versions", () =>
    withFixture(async (fixture) => {
      await publish(fixture, "One", "first");
      await set(fixture, true);
      await fixture.sync();
      const before = lists.map((path) => idOf(fixture, path));
      const tree = idOf(fixture, folder);
      fixture.copy.update();
      const { copy } = fixture;
      for (const path of lists) copy.write(path, copy.read(path).replaceAll('"one"', '"other"'));
      copy.write(`${folder}/one/skills/one/SKILL.md`, "edited\n");
      copy.write(`${folder}/two/skills/two/SKILL.md`, "---\nname: two\ndescription: Is new.\n---\nnew\n");
      copy.push();

      assert.equal(await fixture.sync(), "done");

      assert.deepEqual(
        lists.map((path) => idOf(fixture, path)),
        before,
      );
      assert.equal(idOf(fixture, folder), tree);
      assert.deepEqual(
        (await listSkills(fixture)).map(({ slug, currentVersion }) => [slug, currentVersion]),
        [["one", 1]],
      );
    }));

  it("of others are left as they are and reported, and the rest is written", () =>
    withFixture(async (fixture) => {
      const mine = '{"name": "mine", "owner": {"name": "Me"}, "plugins": []}\n';
      fixture.copy.write(".claude-plugin/marketplace.json", mine);
      fixture.copy.write(`${folder}/mine/plugin.json`, "{}\n");
      fixture.copy.write(".github", "a file\n");
      fixture.copy.push();
      await publish(fixture, "One", "first");
      await set(fixture, true);

      for (let i = 0; i < 2; i++) {
        assert.equal(await fixture.sync(), "done");
        assert.deepEqual(
          (await codes(fixture)).toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
          [
            [folder, "marketplace_foreign"],
            [".claude-plugin/marketplace.json", "marketplace_foreign"],
            [".github/plugin/marketplace.json", "path_blocked"],
          ],
        );
      }

      assert.equal(show(fixture, ".claude-plugin/marketplace.json"), mine.trimEnd());
      // The lists of plugins in a folder that is not ours are not written.
      assert.deepEqual(
        paths(fixture).filter((path) => !path.startsWith("skills/")),
        [`${folder}/mine/plugin.json`, ".claude-plugin/marketplace.json", ".github"],
      );
      fixture.copy.update();
      fixture.copy.git("rm", "-rq", ".claude-plugin", folder, ".github");
      fixture.copy.push();
      assert.equal(await fixture.sync(), "done");
      assert.deepEqual(await codes(fixture), []);
      for (const path of lists) assert.equal(listed(fixture, path).plugins.length, 1);
    }));

  it("are removed when the option is turned off, and nothing else is", () =>
    withFixture(async (fixture) => {
      fixture.copy.write(".github/workflows/test.yml", "on: push\n");
      fixture.copy.write(".agents/plugins/notes.md", "mine\n");
      fixture.copy.push();
      await publish(fixture, "One", "first");
      await set(fixture, true);
      await fixture.sync();
      fixture.copy.update();
      fixture.copy.write(".cursor-plugin/marketplace.json", '{"name": "mine"}\n');
      fixture.copy.push();

      assert.equal((await set(fixture, false)).marketplace, false);
      assert.equal(await fixture.sync(), "done");

      assert.deepEqual(
        paths(fixture).filter((path) => !path.startsWith("skills/")),
        [".agents/plugins/notes.md", ".cursor-plugin/marketplace.json", ".github/workflows/test.yml"],
      );
      assert.deepEqual(await codes(fixture), []);
    }));

  it("keep the name of the marketplace if the organization is renamed, and the option is audited", () =>
    withFixture(async (fixture) => {
      const { org, owner } = fixture;
      await publish(fixture, "One", "first");
      await set(fixture, true);
      const slug = `${org.slug}-renamed`;
      const path = `/api/tenants/${org.id}`;
      const renamed = await service.call("PATCH", path, { token: owner.token, body: { slug } });
      assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
      await set(fixture, false);
      await set(fixture, true);
      await set(fixture, true);
      await fixture.sync();

      for (const list of lists) assert.equal(listed(fixture, list).name, `${org.slug}-repository`);
      const log = await service.call<{ entries: { metadata: { changes: object } }[] }>(
        "GET",
        `${path}/audit-log?action=repohost_sync.update`,
        { token: owner.token },
      );
      const change = (to: boolean) => ({ marketplace: { from: !to, to } });
      assert.deepEqual(
        log.data.entries.map(({ metadata }) => metadata.changes),
        [change(true), change(false), change(true)],
      );
    }));
});
