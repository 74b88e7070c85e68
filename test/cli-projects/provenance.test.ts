/** `svc verify --provenance` against a service: what it accepts, and what it reports. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { signVersions } from "../../workers/skills/sign-versions.ts";
import { setUpCi } from "../ci/fixture.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { publishSkill } from "../support/organization.ts";

const fixture = await setUpCi();
const { service, owner, org } = fixture;
await publishSkill(service, org, owner, { name: "By hand", content: "# By hand\n" });
await fixture.trust("github");
const exchanged = await fixture.exchange(await fixture.github.mint(service.url));
const built = await service.call<{ skill: SkillPayload }>("POST", "/api/skills", {
  token: exchanged.data.token,
  body: { tenantId: org.slug, name: "Built", content: "# Built\n" },
});
assert.equal(built.status, 201);
await service.settled();

interface Verified {
  ok: boolean;
  drift: { kind: string; skill: string; message: string }[];
  origins?: { skill: string; semver: string; origin: string; builder?: string }[];
}

async function setUp(t: TestContext) {
  const [home, project] = [await temporaryFolder(t), await temporaryFolder(t)];
  const env = { SVC_API_URL: service.url, SVC_TOKEN: owner.token };
  const run = (...argv: string[]) => svc([...argv, "-o", "json"], { home, cwd: project, env });
  for (const slug of ["by-hand", "built"]) {
    const ran = await run("install", `${org.slug}/${slug}`, "-t", "claude", "-p", "--save");
    assert.equal(ran.code, 0, ran.stderr);
  }
  const verify = async (...flags: string[]) => {
    const ran = await run("verify", ...flags);
    return { code: ran.code, ...(ran.data as Verified) };
  };
  const demand = async (builder: unknown) => {
    const path = join(project, "svc.json");
    const manifest = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, `${JSON.stringify({ ...manifest, provenance: { builder } }, null, 2)}\n`);
  };
  return { home, project, env, run, verify, demand };
}

describe("svc verify --provenance", () => {
  it("tells who or what has published each version", async (t) => {
    const { verify } = await setUp(t);
    assert.equal((await verify()).origins, undefined);

    const { code, drift, origins } = await verify("--provenance");

    assert.deepEqual([code, drift], [0, []]);
    const [first, second] = origins!.toSorted((a, b) => (a.skill < b.skill ? -1 : 1));
    assert.match(
      first!.origin,
      /^Built in .*acme\/skills by \.github\/workflows\/publish\.yml from commit 01234567/,
    );
    assert.equal(first!.builder, `${fixture.github.url}/acme/skills`);
    assert.deepEqual([second!.origin, second!.builder], [`Published by ${owner.username}`, undefined]);
  });

  it("demands the builders of svc.json", async (t) => {
    const { verify, demand, run } = await setUp(t);
    await demand(`${fixture.github.url}/acme/*`);
    const { code, drift } = await verify("--provenance");
    assert.equal(code, 1);
    assert.deepEqual(
      drift.map(({ kind, skill }) => [kind, skill]),
      [["provenance", "by-hand"]],
    );
    assert.match(drift[0]!.message, /was not built by .*: Published by/);
    assert.equal((await verify()).code, 0, "only with the flag");
    await demand(["github:acme/*", `${fixture.github.url}/other/*`]);
    assert.equal((await verify("--provenance")).drift.length, 2);
    for (const wrong of ["acme/*", "", [], 1, undefined]) {
      await demand(wrong);
      assert.equal((await run("verify")).error.code, "E_INVALID_ARGUMENT", String(wrong));
    }
  });

  it("reports a statement that is missing, changed or of another version, by no clock of this machine", async (t) => {
    const { verify } = await setUp(t);
    const { attestations, versions } = service.app.storage;
    const [version] = await versions.list(built.data.skill.id, { prerelease: true, limit: 1 });
    const row = (await attestations.find(version!._id))!;
    const messages = async (change: Partial<typeof row>) => {
      await attestations.replace({ ...row, ...change });
      const { code, drift } = await verify("--provenance");
      assert.equal(code, 1);
      assert.equal(drift.length, 1);
      return drift[0]!.message;
    };
    assert.match(
      await messages({ payload: row.payload.replace("acme/skills", "evil/skills") }),
      /signature is wrong/,
    );
    assert.match(await messages({ keyId: "lost" }), /a key that the service does not have/);
    await attestations.removeOfSkill(built.data.skill.id);
    assert.match((await verify("--provenance")).drift[0]!.message, /no signed statement/);

    await signVersions(service.app);
    fixture.advance(-86_400_000);
    assert.equal((await verify("--provenance")).code, 0);
    fixture.advance(2 * 86_400_000);
    assert.equal((await verify("--provenance")).code, 0);
    fixture.advance(-86_400_000);
  });
});
