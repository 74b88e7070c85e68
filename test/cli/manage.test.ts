/** `svc revert`, `edit`, `delete`, `open`, `token` and `api` against the real service. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";
import { dataOf } from "./fixture.ts";
import { type Ran, answer, startServer, svc, temporaryFolder } from "./harness.ts";

const { service } = await setUpService();

type Run = (...argv: string[]) => Promise<Ran>;

interface Setting {
  user: TestUser;
  org: TestOrg;
  skill: SkillPayload;
  home: string;
  json: Run;
  text: Run;
}

/** A signed-in user with a skill of two versions, and runners of which the second prints text. */
async function setUp(t: TestContext): Promise<Setting> {
  const { owner: user, org } = await newOrganization(service);
  const home = await temporaryFolder(t);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token };
  for (const content of ["# One\n", "# Two\n"])
    await service.call<PublishResult>("POST", "/api/skills", {
      token: user.token,
      body: { tenantId: org.slug, name: "Code review", content },
    });
  const { data } = await service.call<{ skill: SkillPayload }>(
    "GET",
    `/api/skills/resolve?ref=${org.slug}/code-review`,
    { token: user.token },
  );
  return {
    user,
    org,
    skill: data.skill,
    home,
    json: (...argv) => svc([...argv, "-o", "json"], { home, env }),
    text: (...argv) => svc(argv, { home, env }),
  };
}

/** The code and flag of a failed run. */
const failureOf = ({ code, stdout, error }: Ran) => [code, stdout, error.code, error.details?.["flag"]];

describe("svc revert", () => {
  it("makes an earlier version current, once", async (t) => {
    const { skill, org, json, text } = await setUp(t);
    const named = {
      publicId: skill.publicId,
      slug: "code-review",
      tenantSlug: org.slug,
      name: "Code review",
    };
    const [first, second] = [
      { version: 1, semver: "1.0.0" },
      { version: 2, semver: "1.0.1" },
    ];

    const done = dataOf(await json("revert", "code-review", "--to", "1.0.0"));
    const again = dataOf(await json("revert", "code-review", "--to", "1"));

    assert.deepEqual(done, { skill: named, from: second, to: first, changed: true });
    assert.deepEqual(again, { skill: named, from: first, to: first, changed: false });
    assert.match(
      (await text("revert", "code-review", "--to", "2")).stdout,
      /^Reverted .* from 1\.0\.0 to 1\.0\.1\.$/m,
    );
  });

  it("rejects ranges, pins and unknown versions", async (t) => {
    const { json } = await setUp(t);
    for (const [argv, flag] of [
      [["code-review"], "--to"],
      [["code-review", "--to", "^1"], "--to"],
      [["code-review", "--to", "latest"], "--to"],
      [["code-review@1", "--to", "1"], "<skill>"],
    ] as const)
      assert.deepEqual(failureOf(await json("revert", ...argv)), [1, "", "E_INVALID_ARGUMENT", flag]);
    assert.equal((await json("revert", "code-review", "--to", "9.9.9")).error.code, "E_NOT_FOUND");
  });
});

interface Tried {
  dryRun: true;
  reach: { all: { machines: number } };
}

describe("svc deprecate and svc yank", () => {
  it("warn those who install, and undo that", async (t) => {
    const { json } = await setUp(t);

    const whole = dataOf<{ versions: string[] }>(await json("deprecate", "code-review", "-m", "Use review"));
    const some = dataOf<{ versions: string[] }>(await json("deprecate", "code-review@1.x", "-m", "Use 2.x"));
    const installed = await json("install", "code-review", "-t", "claude", "-g");

    assert.deepEqual([whole.versions, some.versions], [[], ["1.0.1", "1.0.0"]]);
    assert.match(installed.stderr + installed.stdout, /code-review 1\.0\.1 is deprecated: Use 2\.x/);
    assert.match(installed.stderr + installed.stdout, /code-review is deprecated: Use review/);
    const undone = dataOf<{ deprecated: null }>(await json("deprecate", "code-review", "--undo"));
    assert.equal(undone.deprecated, null);
  });

  it("show who has a version with --dry-run, and change nothing", async (t) => {
    const { json, text } = await setUp(t);
    await json("install", "code-review", "-t", "claude", "-g");

    const yanked = dataOf<Tried>(await json("yank", "code-review@1.0.1", "--reason", "No", "--dry-run"));
    const deprecated = dataOf<{ reach: object[] }>(
      await json("deprecate", "code-review@1.x", "-m", "No", "--dry-run"),
    );
    const reverted = dataOf<Tried>(await json("revert", "code-review", "--to", "1", "--dry-run"));
    const moved = dataOf<Tried>(await json("move", "code-review", "/", "--dry-run"));

    for (const { dryRun, reach } of [yanked, reverted, moved])
      assert.deepEqual([dryRun, reach.all.machines], [true, 1]);
    assert.equal(deprecated.reach.length, 2);
    const shown = await text("yank", "code-review@1.0.1", "--reason", "No", "--dry-run");
    assert.match(shown.stdout, /^Would yank: .* 1\.0\.1\.$/m);
    assert.match(shown.stdout, /^1 machine of 1 member has 1\.0\.1;.*\nNothing was changed\.$/m);
    const current = dataOf<{ to: { semver: string } }>(await json("revert", "code-review", "--to", "2"));
    assert.equal(current.to.semver, "1.0.1");
  });

  it("withdraw a version, whose lock still installs it with the reason", async (t) => {
    const { json } = await setUp(t);

    const first = dataOf<{ current: { semver: string } }>(
      await json("yank", "code-review@1.0.1", "--reason", "It deletes files"),
    );
    const last = dataOf<{ current: null }>(await json("yank", "code-review@1.0.0", "--reason", "That too"));
    const latest = await json("install", "code-review", "-t", "claude", "-g");
    const exact = await json("install", "code-review@1.0.1", "-t", "claude", "-g");
    const undone = dataOf<{ current: { semver: string } }>(await json("yank", "code-review@1.0.0", "--undo"));

    assert.deepEqual([first.current.semver, last.current, undone.current.semver], ["1.0.0", null, "1.0.0"]);
    assert.equal(latest.error.code, "E_NOT_FOUND");
    assert.match(
      latest.error.message,
      /1\.0\.1 is yanked \(It deletes files\)\. .*pin it exactly: "\S+\/code-review@1\.0\.1"\.$/,
    );
    assert.equal(exact.code, 0);
    assert.match(exact.stderr + exact.stdout, /is yanked by its publisher: It deletes files/);
    assert.deepEqual(failureOf(await json("yank", "code-review@^1", "--reason", "x")), [
      1,
      "",
      "E_INVALID_ARGUMENT",
      "<skill>",
    ]);
  });
});

describe("svc edit", () => {
  it("changes the given fields only", async (t) => {
    const { json, text } = await setUp(t);

    const done = dataOf<{ skill: Record<string, unknown>; changed: string[] }>(
      await json("edit", "code-review", "--name", "Reviews", "--tags", "a, b", "--description", "Reads code"),
    );

    const { name, slug, tags, description, visibility } = done.skill;
    assert.deepEqual(
      { name, slug, tags, description, visibility },
      {
        name: "Reviews",
        slug: "code-review",
        tags: ["a", "b"],
        description: "Reads code",
        visibility: "private",
      },
    );
    assert.deepEqual(done.changed, ["name", "description", "tags"]);
    assert.match((await text("edit", "code-review", "--tags=")).stdout, /^Changed the tags of Reviews \(/);
  });

  it("asks before more people can read the skill, and needs a change", async (t) => {
    const { json } = await setUp(t);

    const refused = await json("edit", "code-review", "--visibility", "public", "--name", "x");
    const done = dataOf<{ skill: { name: string; visibility: string }; exposure?: object }>(
      await json("edit", "code-review", "--visibility", "public", "--yes"),
    );

    assert.deepEqual(failureOf(refused), [1, "", "E_INTERACTION_REQUIRED", "--yes"]);
    assert.deepEqual([done.skill.name, done.skill.visibility], ["Code review", "public"]);
    assert.ok(done.exposure);
    assert.deepEqual(failureOf(await json("edit", "code-review")), [1, "", "E_INVALID_ARGUMENT", "--name"]);
  });
});

describe("svc delete", () => {
  it("needs --force without a terminal", async (t) => {
    const { json, text, skill } = await setUp(t);

    const refused = await json("delete", "code-review");
    const kept = await text("delete", "code-review");
    assert.deepEqual(failureOf(refused), [1, "", "E_INTERACTION_REQUIRED", "--force"]);
    assert.match(kept.stderr, /Without a terminal, add --force/);
    assert.equal((await json("info", skill.publicId)).code, 0);

    const done = dataOf<{ skill: { publicId: string }; deleted: boolean }>(
      await json("delete", "code-review", "--force"),
    );

    assert.deepEqual([done.skill.publicId, done.deleted], [skill.publicId, true]);
    assert.equal((await json("delete", "code-review", "--force")).error.code, "E_NOT_FOUND");
  });
});

describe("svc open", () => {
  it("prints the address of the page, without a browser outside a terminal", async (t) => {
    const { json, text, skill } = await setUp(t);
    const url = `${service.url}/s/${skill.publicId}`;

    assert.equal(dataOf<{ url: string }>(await json("open", "code-review")).url, url);
    assert.equal((await text("open", skill.publicId)).stdout, `${url}\n`);
    assert.equal((await json("open", "unknown-skill")).error.code, "E_NOT_FOUND");
  });
});

interface Token {
  id: string;
  name: string;
  scopes?: Record<string, string[]>;
  expiresAt?: string;
  token?: string;
}

describe("svc token", () => {
  it("creates a token whose secret is printed once, lists it, and revokes it", async (t) => {
    const { json, text, user } = await setUp(t);

    const made = dataOf<Token>(
      await json(
        "token",
        "create",
        "ci",
        "--scope",
        "skill:read",
        "--scope",
        "skill:create",
        "--expires-in-days",
        "7",
      ),
    );
    const listed = await json("token", "list");
    const shown = await text("token", "list");
    const secret = made.token!;

    assert.match(secret, /^lsk_[0-9a-f]{64}$/);
    assert.deepEqual(made.scopes, { skill: ["read", "create"] });
    assert.ok(made.expiresAt);
    assert.ok(
      dataOf<Token[]>(listed).some(({ id, name, token }) => id === made.id && name === "ci" && !token),
    );
    assert.match(shown.stdout, new RegExp(`^${made.id} .* skill:read skill:create +ci$`, "m"));
    for (const { stdout, stderr } of [listed, shown])
      for (const one of [secret, user.token]) assert.ok(!`${stdout}${stderr}`.includes(one));
    const calledWith = (token: string) => service.call("GET", "/api/user/profile", { token });
    assert.equal((await calledWith(secret)).status, 200);

    assert.deepEqual(dataOf(await json("token", "revoke", made.id)), { id: made.id, revoked: true });
    assert.equal((await calledWith(secret)).status, 401);
    assert.equal((await json("token", "revoke", made.id)).error.code, "E_NOT_FOUND");
  });

  it("prints only the secret on stdout for people", async (t) => {
    const { text } = await setUp(t);
    const made = await text("token", "create", "laptop");
    assert.match(made.stdout, /^lsk_[0-9a-f]{64}\n$/);
    assert.match(made.stderr, /^Created API token laptop \(\w+\), which does not expire\. .*only once:\n$/);
  });

  it("rejects invalid scopes, durations and ids", async (t) => {
    const { json } = await setUp(t);
    for (const [argv, flag] of [
      [["create", "x", "--scope", "skill:admin"], "--scope"],
      [["create", "x", "--expires-in-days", "0"], "--expires-in-days"],
      [["revoke", "current"], "<id>"],
      [["revoke", "a/b"], "<id>"],
    ] as const)
      assert.deepEqual(failureOf(await json("token", ...argv)), [1, "", "E_INVALID_ARGUMENT", flag]);
  });
});

describe("svc api", () => {
  it("prints the body of the response", async (t) => {
    const { json, text, user, skill, org, home } = await setUp(t);

    const profile = dataOf<{ success: boolean; data: { username: string } }>(
      await json("api", "GET", "/api/user/profile"),
    );
    assert.deepEqual([profile.success, profile.data.username], [true, user.username]);
    const fields = ["--field", "query=review", "--field", `tenant_id=${org.slug}`];
    const listed = dataOf<{ data: unknown[] }>(await json("api", "GET", "/api/skills?limit=5", ...fields));
    assert.ok(Array.isArray(listed.data));
    const reverted = await text(
      "api",
      "POST",
      `/api/skills/${skill.publicId}/revert`,
      "--field",
      "version=1.0.0",
    );
    assert.match(reverted.stdout, /^\{\n {2}"success": true[^]*"currentSemver": "1\.0\.0"/);
    await writeFile(join(home, "change.json"), JSON.stringify({ tags: ["x"] }));
    const changed = dataOf<{ data: { tags: string[] } }>(
      await json("api", "PUT", `/api/skills/${skill.publicId}`, "--input", join(home, "change.json")),
    );
    assert.deepEqual(changed.data.tags, ["x"]);
  });

  it("reports an error of the service with its code", async (t) => {
    const { json, user } = await setUp(t);
    for (const [argv, code, status] of [
      [["GET", "/api/skills/unknownskill"], "E_NOT_FOUND", 404],
      [["POST", "/api/skills", "--field", "nonsense=1"], "E_API", 400],
      [["DELETE", "/api/skills"], "E_API", 405],
    ] as const) {
      const ran = await json("api", ...argv);
      assert.deepEqual([ran.code, ran.error.code, ran.error.details?.["httpStatus"]], [1, code, status]);
      assert.ok(!ran.stderr.includes(user.token));
    }
  });

  it("sends the login to no address but the interface of the service", async (t) => {
    const home = await temporaryFolder(t);
    const seen: string[] = [];
    const url = await startServer(t, (request, response) => {
      seen.push(request.url!);
      answer(response, 200, "a\u001B[2Jb", { "content-type": "text/plain" });
    });
    const env = { SVC_API_URL: `${url}/base`, SVC_TOKEN: `lsk_${"a".repeat(64)}` };

    for (const path of [
      "//evil.example/api/x",
      "https://evil.example/api/x",
      "/apix",
      "/s/abc",
      "/api/../s/abc",
      "/api/%2e%2e/s/abc",
      "/api/\\..\\..\\x",
      "/api/a b",
      "/api/a#b",
      "@evil.example/api/",
    ])
      assert.deepEqual(
        failureOf(await svc(["api", "GET", path, "-o", "json"], { home, env })),
        [1, "", "E_INVALID_ARGUMENT", "<path>"],
        path,
      );
    assert.deepEqual(seen, []);
    const ran = await svc(["api", "GET", "/api/x"], { home, env });
    assert.deepEqual([ran.stdout, seen], ["a^[[2Jb\n", ["/base/api/x"]]);
  });

  it("rejects invalid fields, inputs and methods", async (t) => {
    const { json, home } = await setUp(t);
    await writeFile(join(home, "broken.json"), "{");
    for (const [argv, flag] of [
      [["POST", "/api/skills", "--field", "x"], "--field"],
      [["POST", "/api/skills", "--input", join(home, "broken.json")], "--input"],
      [["POST", "/api/skills", "--input", join(home, "missing.json")], "--input"],
      [["GET", "/api/skills", "--input", join(home, "broken.json")], "--input"],
      [["TRACE", "/api/skills"], "<method>"],
    ] as const)
      assert.deepEqual(failureOf(await json("api", ...argv)), [1, "", "E_INVALID_ARGUMENT", flag]);
  });
});
