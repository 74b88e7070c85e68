/** `svc pull --team` and `svc doctor` about required skills, against the real service. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dataOf } from "../cli/fixture.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpService } from "../support/set-up.ts";
import { setUp } from "./fixture.ts";

const { service } = await setUpService();

interface Pulled {
  required: { slug: string; outcome: string; semver?: string; warnings: string[] }[];
  skills: { slug: string; outcome: string }[];
}

describe("svc pull --team", () => {
  it("installs missing required skills into the tools of the machine, then updates the others", async (t) => {
    const { org, owner, home, json, text } = await setUp(service, t);
    const skills = [];
    for (const name of ["First", "Second"]) skills.push(await publishSkill(service, org, owner, { name }));
    const rule = await publishSkill(service, org, owner, { name: "House", type: "rule" });
    const pull = async (...argv: string[]) => dataOf<Pulled>(await json("pull", "--team", ...argv));
    assert.deepEqual((await pull()).required, []);
    assert.match((await text("pull", "--team")).stdout, /All required skills are installed/);
    const check = async () =>
      dataOf<{ checks: { name: string; status: string; message: string }[] }>(
        await json("doctor"),
      ).checks.find(({ name }) => name === "required");
    assert.equal((await check())?.status, "ok");

    const body = { name: "Base", skills: [...skills, rule].map(({ id }) => id), requiredFor: ["everyone"] };
    const made = await service.call("POST", `/api/tenants/${org.slug}/collections`, {
      token: owner.token,
      body,
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.match(
      (await check())!.message,
      /^3 required skills are not installed: .*\/first, .*\/second, and .*\/house\.$/,
    );
    assert.match((await text("pull", "--team")).stderr, /No supported AI tool was found/);

    await mkdir(join(home, ".claude"), { recursive: true });
    assert.equal((await pull("--dry-run")).required.length, 3);
    assert.ok(!existsSync(join(home, ".claude/skills/first")));
    const done = await pull();
    assert.deepEqual(
      done.required.map(({ slug, outcome, semver }) => [slug, outcome, semver]),
      [
        ["first", "installed", "1.0.0"],
        ["second", "installed", "1.0.0"],
        ["house", "installed", "1.0.0"],
      ],
    );
    assert.ok(existsSync(join(home, ".claude/skills/first/SKILL.md")));
    assert.ok(existsSync(join(home, ".claude/rules/house.md")));
    assert.equal((await check())?.status, "ok");

    const again = await pull();
    assert.deepEqual(again.required, []);
    assert.deepEqual(
      again.skills.map(({ slug, outcome }) => [slug, outcome]),
      [
        ["first", "upToDate"],
        ["second", "upToDate"],
        ["house", "upToDate"],
      ],
    );
  });

  it("goes on after a skill that no chosen tool takes, and refuses flags that contradict it", async (t) => {
    const { org, owner, json } = await setUp(service, t);
    const rule = await publishSkill(service, org, owner, { name: "House", type: "rule" });
    const skill = await publishSkill(service, org, owner, { name: "First" });
    const body = { name: "Base", skills: [rule.id, skill.id], requiredFor: ["everyone"] };
    await service.call("POST", `/api/tenants/${org.slug}/collections`, { token: owner.token, body });

    const ran = await json("pull", "--team", "-t", "cursor");
    assert.equal(ran.code, 1);
    assert.deepEqual(
      dataOf<Pulled>(ran).required.map(({ slug, outcome }) => [slug, outcome]),
      [
        ["house", "failed"],
        ["first", "installed"],
      ],
    );
    for (const argv of [
      ["first", "--team"],
      ["--target", "claude"],
      ["--team", "--frozen"],
    ])
      assert.equal((await json("pull", ...argv)).error.code, "E_INVALID_ARGUMENT", argv.join(" "));
  });
});
