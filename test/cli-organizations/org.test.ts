/** `svc org` against the real service. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { describe, it } from "node:test";
import { dataOf } from "../cli/fixture.ts";
import { answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";
import { addMember } from "../support/organization.ts";
import { root } from "../support/root.ts";
import { plainEnv } from "../support/server.ts";
import { setUpService } from "../support/set-up.ts";
import { failureOf, setUp } from "./fixture.ts";

const { service } = await setUpService();

interface Invited {
  role: string;
  invitations: {
    email: string;
    outcome: string;
    invitation?: { id: string; url: string };
    error?: { code: string; message: string };
  }[];
  summary: Record<string, number>;
}

const outcomes = ({ invitations }: Invited) => invitations.map(({ email, outcome }) => [email, outcome]);

describe("svc org list, svc org create", () => {
  it("create an organization and list it with the caller's role", async (t) => {
    const { org, json, text } = await setUp(service, t);

    const made = dataOf<{ organization: { slug: string } }>(
      await json("org", "create", "Ada & Söhne", "--slug", `${org.slug}-two`),
    );
    const listed = dataOf<{ slug: string; role: string }[]>(await json("org", "list"));

    assert.equal(made.organization.slug, `${org.slug}-two`);
    assert.deepEqual(
      listed.map(({ slug, role }) => [slug, role]),
      [
        [org.slug, "owner"],
        [`${org.slug}-two`, "owner"],
      ],
    );
    assert.match((await text("org", "list")).stdout, /^SLUG +YOUR ROLE +NAME\n/);
    assert.equal((await json("org", "create", "Taken", "--slug", org.slug)).error.code, "E_ALREADY_EXISTS");
    assert.deepEqual(failureOf(await json("org", "create", "x", "--slug", "x")), [
      1,
      "",
      "E_INVALID_ARGUMENT",
      "--slug",
    ]);
  });
});

describe("svc org members", () => {
  it("lists all pages, with addresses for those who may change members", async (t) => {
    const { owner, member, org, json, as, text } = await setUp(service, t);
    const { app } = service;
    const others = Array.from({ length: 205 }, (_, at) => `many${String(at).padStart(3, "0")}`);
    await Promise.all(
      others.map((username) => addMember(service, org, { ...member, id: app.newId(), username }, "viewer")),
    );

    const seen = dataOf<{ username: string; email?: string; role: { name: string } }[]>(
      await json("org", "members"),
    );
    const narrowed = dataOf<{ username: string; email?: string }[]>(
      await as(member)("org", "members", "--query", owner.username),
    );

    assert.equal(seen.length, 207);
    assert.equal(seen.find(({ username }) => username === owner.username)!.role.name, "owner");
    assert.ok(seen.some(({ email }) => email === `${owner.username}@example.com`));
    assert.deepEqual(
      narrowed.map(({ username, email }) => [username, email]),
      [[owner.username, undefined]],
    );
    assert.match((await text("org", "members")).stdout, /^USER +ROLE +TEAMS +E-MAIL +NAME\n/);
  });

  it("needs --org where several organizations are possible", async (t) => {
    const { owner, org, json } = await setUp(service, t);
    const second = await service.newOrg(owner);

    const unclear = await json("org", "members");
    const chosen = await json("org", "members", "--org", second.slug);
    const unknown = await json("org", "members", "--org", "unknown-org");

    assert.deepEqual(failureOf(unclear), [1, "", "E_INTERACTION_REQUIRED", "--org"]);
    const organizations = unclear.error.details?.["organizations"] as { slug: string }[];
    assert.deepEqual(organizations.map(({ slug }) => slug).toSorted(), [org.slug, second.slug].toSorted());
    assert.equal(dataOf<unknown[]>(chosen).length, 1);
    assert.equal(unknown.error.code, "E_NOT_FOUND");
  });
});

describe("svc org invite", () => {
  it("reports a row for each address, and fails if some could not be invited", async (t) => {
    const { member, org, json, text } = await setUp(service, t);
    const [first, second] = [`a-${org.slug}@example.com`, `b-${org.slug}@example.com`];
    const argv = ["org", "invite", first, `${member.username}@example.com`, "not an address"];

    const ran = await json(...argv, `B <${second}>`, first.toUpperCase(), "--role", "viewer");

    const data = ran.data as Invited;
    assert.equal(ran.code, 1);
    assert.deepEqual(outcomes(data), [
      [first, "invited"],
      [`${member.username}@example.com`, "alreadyMember"],
      ["not an address", "failed"],
      [second, "invited"],
    ]);
    assert.deepEqual([data.role, data.summary], ["viewer", { invited: 2, alreadyMember: 1, failed: 1 }]);
    assert.equal(data.invitations[2]!.error!.code, "E_INVALID_ARGUMENT");
    const { id, url } = data.invitations[0]!.invitation!;
    assert.equal(url, `${service.url}/invitations/${id}`);
    const shown = await text("org", "invite", first);
    assert.deepEqual([shown.code, shown.stdout.includes(url)], [0, true]);
  });

  it("reads files with comments, names and several addresses in a line", async (t) => {
    const { org, home, json } = await setUp(service, t);
    const at = (name: string) => `${name}-${org.slug}@example.com`;
    await writeFile(
      join(home, "people.txt"),
      `\uFEFF# team\r\n${at("a")}\r\n"B, b" <${at("b")}>\n${at("c")}; ${at("d")},\n\n${at("a")}\n`,
    );

    const ran = await json("org", "invite", "--file", "people.txt");

    const invited = outcomes(ran.data as Invited).filter(([, outcome]) => outcome === "invited");
    assert.deepEqual(
      invited.map(([email]) => email),
      ["a", "b", "c", "d"].map(at),
    );
  });

  it("reads piped addresses, and needs any", async (t) => {
    const { owner, org, home } = await setUp(service, t);
    const run = async (input: string) => {
      const child = spawn(process.execPath, [join(root, "bin", "svc"), "org", "invite", "-o", "json"], {
        cwd: home,
        env: plainEnv({ HOME: home, SVC_API_URL: service.url, SVC_TOKEN: owner.token }),
        stdio: ["pipe", "pipe", "pipe"],
      });
      child.stdin.end(input);
      const [stdout, stderr] = await Promise.all([
        readAll(child.stdout),
        readAll(child.stderr),
        once(child, "close"),
      ]);
      return { stdout, stderr };
    };

    const piped = await run(`piped-${org.slug}@example.com\n`);
    const empty = await run("");

    assert.deepEqual(outcomes(JSON.parse(piped.stdout) as Invited), [
      [`piped-${org.slug}@example.com`, "invited"],
    ]);
    const { error } = JSON.parse(empty.stderr) as { error: { code: string } };
    assert.deepEqual([empty.stdout, error.code], ["", "E_INVALID_ARGUMENT"]);
  });

  it("stops at a limit, with which the remaining addresses fail", async (t) => {
    const home = await temporaryFolder(t);
    let calls = 0;
    const id = "a".repeat(24);
    const url = await startServer(t, (request, response) => {
      if (request.method === "GET")
        return answer(response, 200, { success: true, data: [{ id, slug: "acme", name: "Acme" }] });
      if (++calls > 1)
        return answer(response, 429, { success: false, error: "Too many.", code: "rate_limited" });
      const invitation = { id, email: "a@example.com", role: "member", mail: "waiting" };
      return answer(response, 201, {
        success: true,
        data: { ...invitation, expiresAt: "2026-01-09T00:00:00.000Z" },
      });
    });
    const env = { SVC_API_URL: url, SVC_TOKEN: `lsk_${"a".repeat(64)}` };

    const ran = await svc(
      ["org", "invite", "a@example.com", "b@example.com", "c@example.com", "-o", "json"],
      { home, env },
    );

    const { invitations, summary } = ran.data as Invited;
    assert.deepEqual([ran.code, calls], [1, 2]);
    assert.deepEqual(summary, { invited: 1, alreadyMember: 0, failed: 2 });
    assert.deepEqual(
      invitations.map(({ error }) => error?.message),
      [undefined, "Too many.", "Too many."],
    );
  });

  it("fails as a whole for callers who may not invite, and for unknown roles and files", async (t) => {
    const { member, as, json } = await setUp(service, t);

    const refused = await as(member)("org", "invite", "x@example.com", "y@example.com");
    const role = await json("org", "invite", "x@example.com", "--role", "jester");
    const file = await json("org", "invite", "--file", "missing.txt");

    assert.deepEqual([refused.code, refused.stdout, refused.error.code], [1, "", "E_FORBIDDEN"]);
    assert.equal(role.error.code, "E_NOT_FOUND");
    assert.match(role.error.message, /owner, admin, member, viewer/);
    assert.deepEqual(failureOf(file), [1, "", "E_INVALID_ARGUMENT", "--file"]);
  });
});

describe("svc org remove", () => {
  it("removes a member with --force only", async (t) => {
    const { owner, member, org, json, as } = await setUp(service, t);

    const unconfirmed = await json("org", "remove", member.username);
    const refused = await as(member)("org", "remove", owner.username, "--force");
    const removed = dataOf(await json("org", "remove", `${member.username}@example.com`, "--force"));
    const again = await json("org", "remove", member.username, "--force");
    const last = await json("org", "remove", owner.username, "--force");

    assert.deepEqual(failureOf(unconfirmed), [1, "", "E_INTERACTION_REQUIRED", "--force"]);
    assert.equal(refused.error.code, "E_FORBIDDEN");
    assert.deepEqual(removed, {
      organization: { id: org.id, slug: org.slug, name: org.slug },
      member: { userId: member.id, username: member.username },
      removed: true,
    });
    assert.deepEqual([again.error.code, again.error.details?.["kind"]], ["E_NOT_FOUND", "member"]);
    assert.equal(last.error.code, "E_API", "an organization always has an owner");
  });
});
