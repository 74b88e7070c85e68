import assert from "node:assert/strict";
import { chmod, chown, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { checkNode } from "../../cli/doctor/check-node.ts";
import { version } from "../../cli/version.ts";
import { type Fixture, makeFixture } from "../cli/fixture.ts";
import { type Ran, answer, svc, temporaryFolder } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";

/** The time of the test's process, as the harness has it. */
const now = "2026-01-02T03:04:05.678Z";

interface Service {
  version: string;
  commit?: string;
  date: string;
  /** Status of the profile's response. */
  login: number;
}

/** A fixture whose service reports the given version and time. */
async function setUp(t: TestContext): Promise<{ made: Fixture; service: Service }> {
  const service: Service = { version, date: new Date(now).toUTCString(), login: 200 };
  const made = await makeFixture(t, (_request, response, { pathname }) => {
    const headers = { date: service.date };
    if (pathname === "/api/client")
      answer(
        response,
        200,
        { success: true, data: { version: service.version, commit: service.commit } },
        headers,
      );
    else if (pathname === "/api/user/profile")
      answer(
        response,
        service.login,
        service.login === 200
          ? { success: true, data: { username: "jane" } }
          : {
              success: false,
              error: "Unknown token.",
              code: service.login === 401 ? "unauthenticated" : "forbidden",
            },
      );
    else return false;
    return true;
  });
  made.machine.env = { SVC_TOKEN: `lsk_${"a".repeat(64)}` };
  return { made, service };
}

const documentOf = (ran: Ran) => keepContract("doctor", ran.data);

/** The status of each check. */
function statusesOf(ran: Ran): Record<string, string> {
  const { checks, summary } = documentOf(ran);
  for (const { status, remedy, name } of checks)
    assert.equal(remedy === undefined, status === "ok", `${name}: ${remedy}`);
  for (const { message, remedy } of checks) assert.ok(!`${message}${remedy}`.includes("\n"), message);
  assert.equal(ran.code, summary.failed === 0 ? 0 : 1);
  assert.equal(checks.length, summary.ok + summary.warnings + summary.failed);
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]));
}

/** The check of a name: its status, message and remedy in one text. */
function textOf(ran: Ran, name: string): string {
  const check = documentOf(ran).checks.find((one) => one.name === name);
  assert.ok(check, name);
  return `${check.status}: ${check.message} ${check.remedy ?? ""}`.trim();
}

describe("svc doctor", () => {
  it("reports a healthy set-up, and changes nothing", async (t) => {
    const { made } = await setUp(t);
    await made.run("install", "review", "-t", "claude", "-g");
    const before = await readdir(join(made.home, ".svc"));

    const ran = await made.run("doctor");
    const text = await svc(["doctor"], {
      home: made.home,
      cwd: made.project,
      env: { SVC_API_URL: made.apiUrl, ...made.machine.env },
    });

    assert.deepEqual(statusesOf(ran), {
      node: "ok",
      "state-folder": "ok",
      config: "ok",
      profile: "ok",
      service: "ok",
      client: "ok",
      clock: "ok",
      login: "ok",
      required: "ok",
      withdrawn: "ok",
      installs: "ok",
      "tool-claude": "ok",
    });
    assert.match(textOf(ran, "login"), /SVC_TOKEN is valid \(jane\)/);
    assert.deepEqual([text.code, text.stderr], [0, ""]);
    assert.match(text.stdout, /^ok +node +Node [^]*\n\n12 ok, 0 warnings, 0 failed\.\n$/);
    assert.deepEqual(await readdir(join(made.home, ".svc")), before);
  });

  it("reports a newer service, a wrong clock, and a login that is missing, refused or limited", async (t) => {
    const { made, service } = await setUp(t);
    service.version = "999.0.0";
    service.commit = "0123456789abcdef0123456789abcdef01234567";
    service.date = new Date(Date.parse(now) + 600_000).toUTCString();
    service.login = 401;

    const refused = await made.run("doctor");
    service.login = 403;
    const limited = await made.run("doctor");
    made.machine.env = {};
    const missing = await made.run("doctor");

    assert.match(textOf(refused, "client"), /^warning: .* has 999\.0\.0\. Run svc upgrade\.$/);
    assert.match(textOf(refused, "service"), /runs version 999\.0\.0 \(commit 0123456789ab\)\.$/);
    assert.match(textOf(refused, "clock"), /^warning: .* is (599|60[01]) s behind/);
    assert.match(textOf(refused, "login"), /^failed: SVC_TOKEN is not accepted .* Run svc login/);
    assert.equal(refused.code, 1);
    assert.match(textOf(limited, "login"), /^ok/);
    assert.match(textOf(missing, "login"), /^warning: .* not logged in/);
    assert.equal(missing.code, 0);
    assert.ok(!refused.stdout.includes("a".repeat(64)));
  });

  it("works when the service is down or is not a registry, and when the address is invalid", async (t) => {
    const { made } = await setUp(t);
    for (const [address, message] of [
      ["http://127.0.0.1:1", /the connection was refused/],
      [`${made.apiUrl}/elsewhere`, /does not respond like a skill registry/],
      ["http://registry.example", /plain HTTP/],
      ["nonsense", /not an http address/],
    ] as const) {
      made.machine.env["SVC_API_URL"] = address;
      const ran = await made.run("doctor");
      const statuses = statusesOf(ran);
      assert.match(textOf(ran, "service"), message);
      assert.deepEqual(
        [statuses["service"], statuses["installs"], statuses["clock"]],
        ["failed", "ok", undefined],
      );
    }
  });

  it("works with a damaged configuration, and leaves it as it is", async (t) => {
    const { made } = await setUp(t);
    const folder = join(made.home, ".svc");
    await mkdir(folder, { mode: 0o700 });
    const file = join(folder, "config.json");
    for (const [text, reason] of [
      ["{", /it is not JSON/],
      ['{"version": 1}', /damaged/],
      ['{"version": 999}', /written by a newer svc/],
    ] as const) {
      await writeFile(file, text, { mode: 0o600 });
      const ran = await made.run("doctor");
      assert.match(textOf(ran, "config"), reason);
      const { config, login, installs } = statusesOf(ran);
      assert.deepEqual([config, login, installs], ["failed", "ok", undefined]);
      assert.equal(await readFile(file, "utf8"), text);
      assert.deepEqual(await readdir(folder), ["config.json"]);
    }
  });

  it("works when the home folder is not writable", async (t) => {
    const { made } = await setUp(t);
    const file = join(await temporaryFolder(t), "file");
    await writeFile(file, "");
    const readOnly = await temporaryFolder(t);
    await chmod(readOnly, 0o500);
    // Root can write to any folder.
    for (const home of process.getuid?.() === 0 ? [file] : [file, readOnly]) {
      const ran = await svc(["doctor", "-o", "json"], {
        home,
        cwd: made.project,
        env: { SVC_API_URL: made.apiUrl, ...made.machine.env },
      });
      const statuses = statusesOf(ran);
      assert.deepEqual([statuses["state-folder"], statuses["service"]], ["failed", "ok"], ran.stdout);
    }
    await chmod(readOnly, 0o700);
  });

  it("reports permissions of other users", async (t) => {
    const { made } = await setUp(t);
    await made.run("install", "review", "-t", "claude", "-g");
    const folder = join(made.home, ".svc");
    await chmod(folder, 0o755);
    await chmod(join(folder, "config.json"), 0o644);

    const readable = await made.run("doctor");
    await chmod(folder, 0o777);
    const writable = await made.run("doctor");

    assert.match(textOf(readable, "state-folder"), /^warning: .*mode 755.* chmod 700/);
    assert.match(textOf(readable, "config"), /^warning: .*mode 644.* chmod 600/);
    assert.match(textOf(writable, "state-folder"), /^failed: Other users can change .* chmod 700/);
    assert.equal((await stat(folder)).mode & 0o777, 0o777);
  });

  it("reports state that belongs to another user", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root can give a file away");
    const { made } = await setUp(t);
    await made.run("install", "review", "-t", "claude", "-g");
    await chown(join(made.home, ".svc", "config.json"), 65_534, 65_534);

    assert.match(textOf(await made.run("doctor"), "config"), /^warning: .*another user \(65534; you are 0\)/);
  });

  it("reports broken installs, damaged project files and blocked tool folders", async (t) => {
    const { made } = await setUp(t);
    for (const ref of ["review", "kit"]) await made.run("install", ref, "-t", "claude", "-g", "--copy");
    const skills = join(made.home, ".claude", "skills");
    await writeFile(join(skills, "review", "SKILL.md"), "edited");
    const edited = await made.run("doctor");
    await rm(join(skills, "kit"), { recursive: true });
    const missing = await made.run("doctor");
    await rm(skills, { recursive: true });
    await writeFile(skills, "");
    await writeFile(join(made.project, "svc.json"), "{");
    const blocked = await made.run("doctor");

    assert.match(textOf(edited, "installs"), /^warning: .*review.* Run svc verify -g/);
    assert.match(textOf(missing, "installs"), /^failed: .*kit.* There are 2 deviations\. Run svc verify -g/);
    assert.match(textOf(blocked, "tool-claude"), /^failed: Claude Code: .*skills is a file/);
    assert.match(textOf(blocked, "project"), /^failed: .*svc\.json/);
    await writeFile(join(made.project, "svc.json"), '{"skills": {}}');
    assert.match(textOf(await made.run("doctor"), "project"), /^ok/);
  });

  it("reports an unknown profile, and that no tool was found", async (t) => {
    const { made } = await setUp(t);
    const ran = await made.run("doctor", "--profile", "absent");
    const { profile, service, tools, installs } = statusesOf(ran);
    assert.deepEqual([profile, service, tools, installs], ["failed", "ok", "warning", undefined]);
  });

  it("checks the version of Node", () => {
    for (const [text, status] of [
      ["18.20.0", "failed"],
      ["20.18.9", "failed"],
      ["20.19.0", "ok"],
      ["21.0.0", "ok"],
    ] as const)
      assert.equal(checkNode(text).status, status, text);
  });
});
