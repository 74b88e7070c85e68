/** A hostile service: nothing it sends moves the cursor, crashes svc, or damages its state. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dataOf, makeFixture } from "./fixture.ts";
import { type Ran, answer, startServer, svc, temporaryFolder } from "./harness.ts";

/** Titles, screens and directions of a terminal. */
const hostile = "a\u001B]0;owned\u0007\u001B[2J\u001B[31m\u009B2J\u202Eb\rc";
// oxlint-disable-next-line no-control-regex -- what must not be printed
const moving = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;

describe("a service's text on a terminal", () => {
  it("moves no cursor: not in a result, a note or an error", async (t) => {
    const home = await temporaryFolder(t);
    const url = await startServer(t, (_request, response, { pathname }) => {
      if (pathname === "/api/tenants")
        return answer(response, 200, { success: true, data: [{ id: "t", slug: hostile, name: hostile }] });
      if (pathname === "/api/user/profile")
        return answer(response, 200, {
          success: true,
          data: {
            username: hostile,
            name: hostile,
            email: hostile,
            memberships: [{ tenantId: "t", slug: hostile, name: hostile }],
            pendingInvitations: [],
          },
        });
      return answer(response, 404, { success: false, error: hostile, code: "not_found" });
    });
    const env = { SVC_API_URL: url, SVC_TOKEN: `lsk_${"a".repeat(64)}` };

    const me = await svc(["whoami"], { home, env });
    const failed = await svc(["versions", "review"], { home, env });

    assert.match(me.stdout, /^a\^\[\]0;owned\^G/);
    assert.doesNotMatch(me.stdout, moving);
    assert.match(failed.stderr, /^error a\^\[\]0;owned/);
    assert.doesNotMatch(failed.stderr, moving);
  });

  it("may contain candidates of any form", async (t) => {
    const home = await temporaryFolder(t);
    const url = await startServer(t, (_request, response) =>
      answer(response, 409, {
        success: false,
        error: "Several.",
        code: "ambiguous",
        details: {
          candidates: [null, 5, { slug: "x", path: hostile }, {}, { tenantSlug: "a", slug: "b" }],
          skipped: [null],
        },
      }),
    );

    const failed = await svc(["versions", "review"], { home, env: { SVC_API_URL: url } });

    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^error Several\.\n {2}x {2}a\^\[.*\n {2}a\/b\n {2}E_AMBIGUOUS\n$/);
  });
});

describe("a response of an unexpected form", () => {
  for (const [kind, data] of [
    ["nothing", null],
    ["a text", "x"],
    ["another object", { a: 1 }],
    ["a list of anything", [null, {}, 5]],
  ] as const)
    it(`is reported as not from a registry: ${kind}`, async (t) => {
      const home = await temporaryFolder(t);
      const url = await startServer(t, (_request, response) =>
        answer(response, 200, { success: true, data }),
      );
      const env = { SVC_API_URL: url, SVC_TOKEN: `lsk_${"a".repeat(64)}` };
      for (const line of [
        "whoami",
        "list",
        "list --public",
        "versions review",
        "folders",
        "folders -t acme",
        "folders create a -t acme",
        "move review /",
        "install review -t claude -g",
        "diff review",
      ]) {
        const ran = await svc([...line.split(" "), "-o", "json"], { home, env });
        assert.deepEqual([ran.code, ran.error.code], [1, "E_NETWORK"], `${line}: ${ran.stdout}${ran.stderr}`);
      }
    });
});

describe("data of a response that the client stores", () => {
  const stored = async (ran: Promise<Ran>) => dataOf<{ slug: string }[]>(await ran).map(({ slug }) => slug);

  it("never makes its configuration unreadable for the next run", async (t) => {
    let spoil: ((text: string) => string) | undefined;
    const made = await makeFixture(t, (_request, response) => {
      const { end } = response;
      response.end = ((text: string) => end.call(response, spoil?.(text) ?? text, "utf8")) as typeof end;
      return false;
    });
    dataOf(await made.run("install", "review", "-t", "claude", "-g"));

    for (const [from, to] of [
      ['"version":1', '"version":"1"'],
      ['"semver":"1.0.0"', '"semver":5'],
      ['"semver":"1.0.0"', '"semver":"1.0.0\\u001b[2J"'],
      ['"type":"rule"', '"type":null'],
      ['"visibility":"private"', '"visibility":{}'],
      ['"tenantSlug":"acme"', '"tenantSlug":"../acme"'],
      ['"own":true', '"own":"true"'],
    ] as const) {
      spoil = (text) => text.replaceAll(from, to);
      const refused = await made.run("install", "house", "-t", "claude", "-g");
      assert.deepEqual([refused.code, refused.error.code], [1, "E_NETWORK"], to);
    }
    assert.deepEqual(await stored(made.run("list", "--installed")), ["review"]);
  });

  it("contains no name or link that runs a command when a suggestion of svc is pasted", async (t) => {
    const injection = "x;$(touch owned)";
    let skill: object = {};
    let url = "";
    const server = await startServer(t, async (request, response, { pathname }) => {
      for await (const _chunk of request);
      const version = { version: 1, semver: "1.0.0", format: "markdown", hash: "0".repeat(64) };
      const described = {
        publicId: "aaaaaaaaaa",
        slug: "s",
        name: "S",
        description: "",
        type: "skill",
        visibility: "public",
        currentVersion: 1,
        currentSemver: "1.0.0",
        tenantId: "t",
        tenantSlug: "acme",
        ...skill,
      };
      const published = { action: "created", unchanged: false, url, ignoredFlags: [], warnings: [] };
      const data =
        pathname === "/api/tenants"
          ? [{ id: "t", slug: "acme", name: "Acme" }]
          : { skill: described, version, own: false, ...(request.method === "POST" ? published : {}) };
      answer(response, 200, { success: true, data });
    });
    const home = await temporaryFolder(t);
    await writeFile(join(home, "a.md"), "x");
    const env = { SVC_API_URL: server, SVC_TOKEN: `lsk_${"a".repeat(64)}` };

    for (const [badSkill, badUrl] of [
      [{ slug: injection }, `${server}/s/aaaaaaaaaa`],
      [{ tenantSlug: injection }, `${server}/s/aaaaaaaaaa`],
      [{ publicId: ".." }, `${server}/s/aaaaaaaaaa`],
      [{}, `${server}/s/${injection}`],
    ] as const) {
      [skill, url] = [badSkill, badUrl];
      const lines = [
        ["publish", "a.md"],
        ...(badUrl.includes(injection) ? [] : [["install", "s", "-t", "claude", "-g"]]),
      ];
      for (const line of lines) {
        const ran = await svc([...line, "-o", "json"], { home, env });
        assert.deepEqual(
          [ran.code, ran.error.code],
          [1, "E_NETWORK"],
          `${line.join(" ")} ${JSON.stringify(badSkill)}`,
        );
        assert.ok(!ran.stderr.includes(injection));
      }
    }
  });

  it("never makes a project's lock unreadable", async (t) => {
    let spoil: ((text: string) => string) | undefined;
    const made = await makeFixture(t, (_request, response) => {
      const { end } = response;
      response.end = ((text: string) => end.call(response, spoil?.(text) ?? text, "utf8")) as typeof end;
      return false;
    });
    dataOf(await made.run("install", "review", "-t", "claude", "-p", "--save"));
    const before = await made.read(made.project, "svc.lock");

    for (const [from, to] of [
      ['"commit":"0123', '"commit":"../'],
      ['"name":"House"', '"name":"a\\u0000b"'],
    ] as const) {
      spoil = (text) => text.replaceAll(from, to);
      const refused = await made.run("install", "house", "-t", "claude", "-p");
      assert.equal(refused.code, 1, to);
      assert.match(refused.error.message, /svc\.lock is unchanged/);
      assert.equal(await made.read(made.project, "svc.lock"), before);
    }
  });

  it("is refused as an identity if it is invalid in a header or can't be read again", async (t) => {
    const home = await temporaryFolder(t);
    let id: unknown;
    const url = await startServer(t, (_request, response) =>
      answer(response, 200, { success: true, data: { identity: { id } } }),
    );
    await writeFile(join(home, "note.md"), "Hello.\n");
    for (id of [5, "a\r\nx-evil: 1", "", "x".repeat(5000)]) {
      const ran = await svc(["share", "note.md", "-o", "json"], { home, env: { SVC_API_URL: url } });
      assert.equal(ran.error.code, "E_NETWORK");
      assert.match(ran.error.message, /does not respond like a skill registry/);
    }
    assert.deepEqual(
      dataOf(await svc(["share", "--list", "-o", "json"], { home, env: { SVC_API_URL: url } })),
      [],
    );
  });

  it("may have the name of a property that every object has", async (t) => {
    const made = await makeFixture(t);
    made.skills[0]!.slug = "constructor";

    dataOf(await made.run("install", "constructor", "-t", "claude,codex", "-g"));

    assert.deepEqual(await stored(made.run("list", "--installed")), ["constructor"]);
    dataOf(await made.run("uninstall", "constructor", "--purge"));
  });
});
