import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Config } from "../../cli/state/config.ts";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type { OwnInstallPayload } from "../../contract/payloads/usage/analytics.ts";
import { newMember } from "../support/organization.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";
import { dataOf, makeFixture } from "./fixture.ts";
import { answer, svc, temporaryFolder } from "./harness.ts";

const token = `lsk_${"a".repeat(64)}`;

/** A home with a signed-in user, against a registry that records the reports. */
async function signedIn(
  t: Parameters<typeof makeFixture>[0],
  respond?: (response: Parameters<typeof answer>[0]) => void,
) {
  const reports: { method: string; skill: string; place: Record<string, string> }[] = [];
  const made = await makeFixture(t, (request, response, url) => {
    const [, , , skill, part] = url.pathname.split("/");
    if (part !== "installs") return false;
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const place = (text === "" ? Object.fromEntries(url.searchParams) : JSON.parse(text)) as Record<
        string,
        string
      >;
      reports.push({ method: request.method!, skill: skill!, place });
      if (respond) respond(response);
      else answer(response, 200, { success: true, data: { recorded: true } });
    });
    return true;
  });
  const signIn = async (profile: object) => {
    await mkdir(join(made.home, ".svc"), { recursive: true });
    await writeFile(
      join(made.home, ".svc", "config.json"),
      JSON.stringify({
        version: 1,
        activeProfile: "default",
        profiles: { default: { installed: {}, preferences: {}, ...profile } },
      }),
    );
  };
  return { ...made, reports, signIn };
}

describe("reports of installs", () => {
  it("name each tool once, under a machine name that identifies nothing", async (t) => {
    const { run, reports, signIn, config, read, home } = await signedIn(t);
    await signIn({ token });

    await run("install", "review", "-t", "claude,cursor", "-g");
    await run("install", "kit", "-t", "claude", "-p");

    const { machineId } = await config();
    assert.match(machineId!, /^[0-9a-f]{32}$/);
    assert.deepEqual(
      reports.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
      [
        {
          method: "PUT",
          skill: "aaaaaaaaaa",
          place: { machine: machineId, platform: "claude", scope: "global", version: 1, range: "latest" },
        },
        {
          method: "PUT",
          skill: "aaaaaaaaaa",
          place: { machine: machineId, platform: "cursor", scope: "global", version: 1, range: "latest" },
        },
        {
          method: "PUT",
          skill: "cccccccccc",
          place: { machine: machineId, platform: "claude", scope: "project", version: 1, range: "latest" },
        },
      ],
    );
    assert.equal((await read(home, ".svc/config.json")).match(/machineId/g)!.length, 1);
    const sent = JSON.stringify(reports);
    for (const name of [hostname(), userInfo().username])
      if (name.length > 3) assert.ok(!sent.includes(name), name);
  });

  it("follow updates, repairs and removals, under the same name", async (t) => {
    const { run, reports, signIn, skills } = await signedIn(t);
    await signIn({ token });
    await run("install", "review", "-t", "claude,cursor", "-g");
    const inProject = dataOf<{ installed: { path: string }[] }>(
      await run("install", "review", "-t", "cursor", "-p", "--copy"),
    );
    skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    const since = async (...argv: string[]) => {
      reports.length = 0;
      const ran = await run(...argv);
      const sent = reports.map(
        ({ method, place }) => `${method} ${place["platform"]} ${place["scope"]} ${place["version"] ?? ""}`,
      );
      return {
        code: ran.code,
        sent: sent.sort(),
        machines: new Set(reports.map(({ place }) => place["machine"])).size,
      };
    };

    const pulled = await since("pull");
    const again = await since("pull");
    await writeFile(inProject.installed[0]!.path, "edited");
    const removed = await since("uninstall", "review");
    const rest = await since("uninstall", "review", "--force");

    assert.deepEqual(pulled, {
      code: 0,
      sent: ["PUT claude global 2", "PUT cursor global 2", "PUT cursor project 2"],
      machines: 1,
    });
    assert.deepEqual(again.sent, []);
    assert.deepEqual(removed, {
      code: 1,
      sent: ["DELETE claude global ", "DELETE cursor global "],
      machines: 1,
    });
    assert.deepEqual(rest.sent, ["DELETE cursor project "]);
  });

  it("are sent neither without a sign-in nor for an organization's token", async (t) => {
    const { run, reports, signIn, config, skills } = await signedIn(t);
    for (const profile of [
      {},
      { token: `lskt_${"a".repeat(64)}` },
      { token, apiUrl: "https://elsewhere.example.com" },
    ]) {
      await signIn(profile);
      await run("install", "review", "-t", "claude", "-g");
      skills[0]!.versions.push({ semver: `1.${skills[0]!.versions.length}.0`, body: "more\n" });
      await run("pull");
      await run("uninstall", "review");
      assert.equal((await config()).machineId, undefined);
    }
    assert.deepEqual(reports, []);
  });

  it("affect neither output nor exit code, whether they succeed or not", async (t) => {
    const quiet = await signedIn(t);
    await quiet.signIn({});
    const commands = [
      ["install", "review", "-t", "claude,cursor,codex", "-g"],
      ["pull", "--force"],
      ["uninstall", "review"],
    ];
    const expected = [];
    for (const argv of commands) expected.push(await quiet.run(...argv));

    for (const respond of [
      (response: Parameters<typeof answer>[0]) => answer(response, 500, "no JSON at all"),
      (response: Parameters<typeof answer>[0]) =>
        answer(response, 401, { success: false, error: "no", code: "unauthenticated" }),
      (response: Parameters<typeof answer>[0]) =>
        answer(response, 302, "", { location: "https://elsewhere.example.com/" }),
      (response: Parameters<typeof answer>[0]) => void response.destroy(),
    ]) {
      const { run, reports, signIn, home, project } = await signedIn(t, respond);
      await signIn({ token });
      const same = (text: string) => text.replaceAll(home, quiet.home).replaceAll(project, quiet.project);
      for (const [at, argv] of commands.entries()) {
        const ran = await run(...argv);
        assert.deepEqual(
          [ran.code, same(ran.stdout), ran.stderr],
          [expected[at]!.code, expected[at]!.stdout, expected[at]!.stderr],
        );
      }
      assert.ok(reports.length >= 6);
    }
  });

  it("are given up after two seconds", async (t) => {
    const { run, reports, signIn } = await signedIn(t, () => undefined);
    await signIn({ token });

    const startedAt = performance.now();
    const ran = await run("install", "review", "-t", "claude,cursor,codex", "-g");
    const tookMs = performance.now() - startedAt;

    assert.equal(ran.code, 0);
    assert.equal(reports.length, 3);
    assert.ok(tookMs > 1900 && tookMs < 40_000, `${tookMs} ms`);
  });
});

describe("reports of installs to the real service", () => {
  let service: TestService;
  let owner: TestUser;
  let member: TestUser;
  let stranger: TestUser;
  let org: TestOrg;
  let skill: SkillPayload;

  before(async () => {
    service = await startService();
    [owner, stranger] = [await service.newUser(), await service.newUser()];
    org = await service.newOrg(owner);
    member = await newMember(service, org, "member");
    const made = await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.slug, name: "Shared", content: "# Shared\n", visibility: "public" },
    });
    skill = made.data.skill;
  });
  after(() => service.close());

  it("are stored for members only, from installing to updating and removing", async (t) => {
    const homes = await Promise.all([temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]);
    const as =
      (at: number, user: TestUser | undefined) =>
      async (...argv: string[]) => {
        const env = { SVC_API_URL: service.url, SVC_TOKEN: user?.token };
        const ran = await svc([...argv, "-o", "json"], { home: homes[at]!, env });
        assert.equal(ran.code, 0, ran.stderr);
      };
    const own = async (user: TestUser) =>
      (await service.call<OwnInstallPayload[]>("GET", "/api/user/installs", { token: user.token })).data;
    const everybody = [as(0, member), as(1, stranger), as(2, undefined)];

    const trusting = ["--trust", skill.tenantSlug];
    for (const run of everybody)
      await run("install", skill.publicId, "-t", "claude,cursor", "-g", ...trusting);
    const installed = await own(member);
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { content: "# Two\n" },
    });
    const outdated = await own(member);
    for (const run of everybody) await run("pull");
    const pulled = await own(member);
    for (const run of everybody) await run("uninstall", skill.slug);

    const shown = (rows: OwnInstallPayload[]) =>
      rows.map((row) => `${row.platform} ${row.scope} ${row.semver} ${row.updateAvailable}`).sort();
    assert.deepEqual(shown(installed), ["claude global 1.0.0 false", "cursor global 1.0.0 false"]);
    assert.deepEqual(shown(outdated), ["claude global 1.0.0 true", "cursor global 1.0.0 true"]);
    assert.deepEqual(shown(pulled), ["claude global 1.0.1 false", "cursor global 1.0.1 false"]);
    assert.equal(new Set(pulled.map((row) => row.machine)).size, 1);
    assert.equal(
      pulled[0]!.machine,
      (JSON.parse(await readFile(join(homes[0], ".svc", "config.json"), "utf8")) as Config).machineId,
    );
    assert.deepEqual(await own(member), []);
    assert.equal(await service.app.storage.database.raw.collection("installs").countDocuments(), 0);
  });
});
