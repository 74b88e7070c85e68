/** `svc rename`, and what installs of a renamed skill see of it, against the real service. */
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";
import { dataOf } from "./fixture.ts";
import { svc, temporaryFolder } from "./harness.ts";

const { service } = await setUpService();

async function setUp(t: TestContext) {
  const { owner: user, org } = await newOrganization(service);
  const home = await temporaryFolder(t);
  const project = join(home, "project");
  await mkdir(project);
  const skill = await newVersionedSkill({ service, user, org, name: "Relnotes" });
  const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token };
  return {
    org,
    skill,
    project,
    file: async (name: string) =>
      JSON.parse(await readFile(join(project, name), "utf8")) as { skills: object },
    json: (...argv: string[]) => svc([...argv, "-o", "json"], { home, env, cwd: project }),
    text: (...argv: string[]) => svc(argv, { home, env, cwd: project }),
  };
}

interface Pulled {
  skills: { slug: string; outcome: string; warnings: string[] }[];
}

describe("svc rename", () => {
  it("renames a skill, says so, and changes nothing when tried", async (t) => {
    const { org, json, text } = await setUp(t);

    const tried = dataOf<{ renamed: boolean; dryRun: boolean }>(
      await json("rename", "relnotes", "release-notes", "--dry-run"),
    );
    assert.deepEqual([tried.renamed, tried.dryRun], [true, true]);
    const done = await text("rename", "relnotes", "release-notes");
    const [from, to] = [`${org.slug}/relnotes`, `${org.slug}/release-notes`];
    assert.equal(done.stdout, `Renamed Relnotes (${from}) to ${to}. ${from} leads to it.\n`);
    const again = dataOf<{ renamed: boolean; from: string }>(await json("rename", from, "release-notes"));
    assert.deepEqual([again.renamed, again.from], [false, "release-notes"]);
    const refused = await json("rename", "relnotes", "Not A Slug");
    assert.match(refused.stderr, /E_INVALID_ARGUMENT/);
  });
});

describe("a renamed skill that is installed", () => {
  it("is updated where it is, told once, and written into svc.json when asked", async (t) => {
    const { org, skill, json, file } = await setUp(t);
    const [from, to] = [`${org.slug}/relnotes`, `${org.slug}/release-notes`];
    dataOf(await json("install", "relnotes@^1", "-t", "claude", "-p", "--save"));
    dataOf(await json("rename", "relnotes", "release-notes"));

    const first = dataOf<Pulled>(await json("pull")).skills[0]!;
    const told = `${from} was renamed: it is ${to} now`;
    assert.deepEqual([first.outcome, first.warnings], ["upToDate", [told]]);
    const second = dataOf<Pulled>(await json("pull")).skills[0]!;
    assert.deepEqual([second.outcome, second.warnings, second.slug], ["upToDate", [], "release-notes"]);
    assert.deepEqual(Object.keys((await file("svc.json")).skills), [from]);

    await skill.push();
    const third = dataOf<Pulled>(await json("pull")).skills[0]!;
    assert.equal(third.outcome, "updated");
    assert.deepEqual(Object.keys((await file("svc.lock")).skills), [from]);
    dataOf(await json("pull", "--save"));
    assert.deepEqual(Object.keys((await file("svc.json")).skills), [to]);
    assert.deepEqual(Object.keys((await file("svc.lock")).skills), [to]);
    const checked = dataOf<{ ok: boolean }>(await json("verify"));
    assert.equal(checked.ok, true);
    dataOf(await json("uninstall", "relnotes"));
    assert.deepEqual((await file("svc.json")).skills, {});
  });

  it("is installed by its former name, with a warning", async (t) => {
    const { org, json } = await setUp(t);
    dataOf(await json("rename", "relnotes", "release-notes"));

    for (const ref of ["relnotes", `${org.slug}/relnotes`]) {
      const installed = dataOf<{ installName: string; warnings?: string[] }>(
        await json("install", ref, "-t", "claude", "-p"),
      );
      assert.equal(installed.installName, "release-notes");
      assert.deepEqual(installed.warnings, [`"${ref}" was renamed: it is ${org.slug}/release-notes now.`]);
    }
  });
});
