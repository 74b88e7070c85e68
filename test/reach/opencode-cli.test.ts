/**
 * The real OpenCode, from the folder `SVC_TOOLS`, made by `npm install --ignore-scripts --prefix <folder>
 * opencode-ai@1.18.33`, which brings its program as a package.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../cli/harness.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";
import { publishPackage, pushPackage, type ReachFixture } from "./fixture.ts";
import { installedFiles, publishedFiles, runClient } from "./real-client.ts";

const program = join(process.env["SVC_TOOLS"] ?? "", "node_modules/opencode-linux-x64/bin/opencode");

const { service } = await setUpOrganization();

interface FoundSkill {
  name: string;
  description: string;
  location: string;
}

/** An organization, and OpenCode with a home folder of the test. */
async function setUp(t: TestContext) {
  const fixture: ReachFixture = { service, ...(await newOrganization(service)) };
  const home = await temporaryFolder(t);
  const base = `${service.url}/${fixture.org.slug}`;
  const run = (...args: string[]) =>
    runClient(program, args, {
      cwd: home,
      env: {
        HOME: home,
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
    });
  return {
    fixture,
    run,
    configure: (config: object) => writeFileSync(join(home, "opencode.json"), JSON.stringify(config)),
    base,
    /** The skills that it finds, without those that it brings. */
    async skills(): Promise<FoundSkill[]> {
      const { code, out, output } = await run("debug", "skill");
      assert.equal(code, 0, output);
      return (JSON.parse(out) as FoundSkill[]).filter(({ location }) => existsSync(location));
    },
  };
}

/** The files that it has downloaded, without the version that it keeps beside them. */
const filesOf = ({ location }: FoundSkill) =>
  installedFiles(dirname(location), (path) => path === ".opencode-version");

describe("OpenCode", { skip: existsSync(program) ? false : "needs SVC_TOOLS" }, () => {
  it("finds the public skills of an organization, byte for byte, and their updates", async (t) => {
    const { fixture, configure, base, skills } = await setUp(t);
    const files = { "scripts/run.sh": "echo hi\n", "data/picture.bin": Buffer.from([0, 255, 13, 10]) };
    const { id } = await publishPackage(fixture, "open-one", { files });
    await publishPackage(fixture, "hidden", { visibility: "private" });
    configure({ skills: { urls: [`${base}/.well-known/skills/`] } });

    const [skill, ...others] = await skills();
    assert.deepEqual([skill!.name, others], ["open-one", []]);
    assert.deepEqual(filesOf(skill!), await publishedFiles(base, "open-one"));

    await pushPackage(fixture, id, "open-one", { ...files, "new.md": "New.\n" });
    const [updated] = await skills();
    assert.equal(readFileSync(join(dirname(updated!.location), "new.md"), "utf8"), "New.\n");
  });

  it("finds a renamed skill in the folder of its new slug, and no skill that is not public any more", async (t) => {
    const { fixture, configure, base, skills } = await setUp(t);
    const { id } = await publishPackage(fixture, "former");
    configure({ skills: { urls: [`${base}/.well-known/skills/`] } });
    // It shows the name in the text, which a rename does not change.
    const slugs = async () => (await skills()).map(({ location }) => basename(dirname(location)));
    assert.deepEqual(await slugs(), ["former"]);
    const { token } = fixture.owner;

    await service.call("POST", `/api/skills/${id}/rename`, { token, body: { slug: "present" } });
    assert.deepEqual(await slugs(), ["present"]);
    await service.call("PUT", `/api/skills/${id}`, { token, body: { visibility: "private" } });
    assert.deepEqual(await slugs(), []);
  });

  it("takes over the addresses of an organization by its login", async (t) => {
    const { fixture, run, base, skills } = await setUp(t);
    await publishPackage(fixture, "open-two");

    const login = await run("auth", "login", base);
    assert.equal(login.code, 0, login.output);
    const config = await run("debug", "config");
    const { mcp } = JSON.parse(config.out) as { mcp: Record<string, { url: string }> };
    assert.equal(mcp["svc"]!.url, `${service.url}/mcp`);
    assert.deepEqual(
      (await skills()).map(({ name }) => name),
      ["open-two"],
    );
  });
});
