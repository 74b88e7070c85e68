/**
 * Consent to a publisher: the skill that a name refers to, and the question before one of another organization is
 * installed.
 */
import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, after, before, describe, it } from "node:test";
import type { Config } from "../../cli/state/config.ts";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { cloned, lockOf, manifestOf, saved } from "../cli-projects/project-fixture.ts";
import { type TestOrg, type TestService, type TestUser, startService } from "../support/service.ts";
import { type Fixture, makeFixture } from "./fixture.ts";
import { type Ran, svc, temporaryFolder } from "./harness.ts";

const globex = { tenantId: "t2", tenantSlug: "globex" };
const asked = ({ code, error }: Ran) => [code, error.code, error.details?.["flag"], error.details?.["ref"]];
/** The same from what a pipeline prints that does not ask for JSON. */
const askedInText = ({ code, stderr }: Ran) => [
  code,
  /E_INTERACTION_REQUIRED/.exec(stderr)?.[0],
  /--trust/.exec(stderr)?.[0],
  /add --trust ([a-z]+)/.exec(stderr)?.[1],
];
const runInText = (w: Fixture, ...argv: string[]) =>
  svc(argv, {
    home: w.home,
    cwd: w.project,
    env: { SVC_API_URL: w.apiUrl, ...w.machine.env },
    platform: w.machine.platform,
  });
const trustOf = async (w: Fixture) => (await w.config()).profiles["default"]!.trustedPublishers;

/** A home and a registry in which another organization publishes a skill of the same slug. */
async function withStranger(t: TestContext): Promise<Fixture> {
  const w = await makeFixture(t);
  w.skills.push({
    slug: "review",
    publicId: "ssssssssss",
    name: "Review",
    publisher: globex,
    versions: [{ semver: "1.0.0", body: "strange\n" }],
  });
  return w;
}

describe("installing from another organization", () => {
  it("asks the first time, and stores the decision with the organization's id", async (t) => {
    const w = await withStranger(t);
    const install = (...more: string[]) =>
      runInText(w, "install", "globex/review", "-t", "claude", "-g", ...more);

    const refused = await install();
    assert.deepEqual(askedInText(refused), [1, "E_INTERACTION_REQUIRED", "--trust", "globex"]);
    assert.deepEqual(askedInText(await install("--trust", "acme")), askedInText(refused));
    await assert.rejects(readdir(join(w.home, ".claude")));

    assert.equal((await install("--trust", "globex")).code, 0);
    assert.deepEqual(await trustOf(w), [{ service: w.apiUrl, tenantId: "t2", slug: "globex" }]);
    assert.equal((await w.run("uninstall", "review")).code, 0);
    assert.equal((await install()).code, 0);

    // Another organization took the name: the decision does not apply to it.
    w.skills.at(-1)!.publisher = { ...globex, tenantId: "t3" };
    w.skills.at(-1)!.publicId = "tttttttttt";
    assert.equal((await w.run("uninstall", "review")).code, 0);
    assert.deepEqual(askedInText(await install()), askedInText(refused));
    assert.deepEqual(asked(await w.run("install", "globex/review", "-t", "claude", "-g")), [
      1,
      "E_INTERACTION_REQUIRED",
      "--trust",
      "globex",
    ]);
  });

  it("needs no consent of a program whose reference names the publisher", async (t) => {
    const w = await withStranger(t);
    for (const ref of ["globex/review", "ssssssssss"]) {
      const ran = await w.run("install", ref, "-t", "claude", "-g");
      assert.deepEqual([ran.code, ran.stderr], [0, ""], ref);
      assert.equal((ran.data as { skill: { tenantSlug: string } }).skill.tenantSlug, "globex");
      assert.equal((await w.run("uninstall", "review")).code, 0);
    }
    assert.equal(await trustOf(w), undefined);
  });

  it("asks in every profile, and for every service", async (t) => {
    const w = await withStranger(t);
    const other = await withStranger(t);
    await w.run("install", "globex/review", "-t", "claude", "-g", "--trust", "globex");
    await w.run("uninstall", "review");
    await w.run("profile", "create", "work");

    const line = ["install", "globex/review", "-t", "claude", "-g"];
    const inProfile = await runInText(w, ...line, "--profile", "work");
    assert.deepEqual(askedInText(inProfile).slice(0, 3), [1, "E_INTERACTION_REQUIRED", "--trust"]);
    const config = await w.config();
    config.profiles["default"]!.trustedPublishers![0]!.service = "https://other.example";
    await writeFile(join(w.home, ".svc", "config.json"), JSON.stringify(config));
    for (const one of [w, other])
      assert.equal(askedInText(await runInText(one, ...line))[1], "E_INTERACTION_REQUIRED");
  });

  it("asks about a service that does not report a skill's organization", async (t) => {
    const w = await makeFixture(t, (_request, response, url) => {
      if (!url.pathname.endsWith("/resolve")) return false;
      response.setHeader("content-type", "application/json");
      const skill = { ...oldPayload, publicId: "aaaaaaaaaa" };
      const version = { version: 1, semver: "1.0.0", format: "markdown", hash: "0".repeat(64) };
      response.end(JSON.stringify({ success: true, data: { skill, version } }));
      return true;
    });

    const ran = await w.run("install", "review", "-t", "claude", "-g");

    assert.equal(ran.error.code, "E_INTERACTION_REQUIRED");
  });
});

const oldPayload = {
  slug: "review",
  name: "Review",
  description: "d",
  type: "skill",
  visibility: "public",
  currentVersion: 1,
  currentSemver: "1.0.0",
  tenantId: "t1",
  tenantSlug: "acme",
};

describe("a name that refers to another skill now", () => {
  it("is not installed over the previous skill, on the machine or in a project", async (t) => {
    const w = await saved(t);
    const files = [await w.read(w.project, "svc.lock"), await w.read(w.project, "svc.json")];
    w.skills[0]!.publicId = "zzzzzzzzzz";
    w.skills[0]!.versions = [{ semver: "1.0.1", body: "hostile\n" }];
    const fresh = await cloned(t, w);

    const here = await w.run("install", "acme/review", "-t", "claude", "-p");
    const elsewhere = await fresh.run("install", "acme/review", "-t", "claude", "-p");

    for (const { error } of [here, elsewhere])
      assert.deepEqual(
        [error.code, error.details?.["from"], error.details?.["to"]],
        ["E_VERSION_CHANGED", "aaaaaaaaaa", "zzzzzzzzzz"],
      );
    assert.deepEqual([await w.read(w.project, "svc.lock"), await w.read(w.project, "svc.json")], files);
    await assert.rejects(readdir(join(fresh.project, ".claude")));
    const accepted = [
      await w.run("uninstall", "review"),
      await w.run("install", "acme/review", "-t", "claude", "-p"),
    ];
    assert.deepEqual(
      accepted.map(({ code }) => code),
      [0, 0],
    );
  });

  it("is not pulled over an installed skill whose id differs", async (t) => {
    let stolen = false;
    const w = await makeFixture(t, (_request, response, url) => {
      if (!stolen || !url.pathname.endsWith("/resolve")) return false;
      response.setHeader("content-type", "application/json");
      const version = { version: 2, semver: "1.0.1", format: "markdown", hash: "0".repeat(64) };
      const skill = { ...oldPayload, publicId: "zzzzzzzzzz" };
      response.end(JSON.stringify({ success: true, data: { skill, version, own: true } }));
      return true;
    });
    await w.run("install", "review", "-t", "claude", "-g");
    stolen = true;

    const named = await w.run("pull", "review");

    assert.equal(named.error.code, "E_VERSION_CHANGED");
    assert.match(await readFile(join(w.home, ".claude/skills/review/SKILL.md"), "utf8"), /one/);
  });
});

describe("a lock", () => {
  it("counts as consent if it names the organization, but not with a slug alone", async (t) => {
    const w = await withStranger(t);
    await w.run("install", "globex/review", "-t", "claude", "-p", "--save", "--trust", "globex");
    const clone = await cloned(t, w);
    const restored = await clone.run("restore");
    assert.equal(restored.code, 0, restored.stderr);

    const legacy = await cloned(t, w);
    for (const name of ["svc.json", "svc.lock"]) {
      const text = (await w.read(w.project, name)).replaceAll("globex/review", "review");
      await writeFile(join(legacy.project, name), text);
    }
    assert.deepEqual(asked(await legacy.run("restore")), [1, "E_INTERACTION_REQUIRED", "--trust", "globex"]);
    assert.equal((await legacy.run("restore", "--trust", "globex")).code, 0);
  });

  it("is rejected if it contains one skill under the name of another", async (t) => {
    const w = await withStranger(t);
    await w.run("install", "globex/review", "-t", "claude", "-p", "--save", "--trust", "globex");
    const clone = await cloned(t, w);
    for (const name of ["svc.json", "svc.lock"])
      await writeFile(
        join(clone.project, name),
        (await w.read(w.project, name)).replaceAll("globex/review", "acme/review"),
      );

    const { error } = await clone.run("restore", "--trust", "globex");

    assert.deepEqual([error.code, error.details?.["from"]], ["E_VERSION_CHANGED", "ssssssssss"]);
    await assert.rejects(readdir(join(clone.project, ".claude")));
  });
});

describe("a manifest", () => {
  it("has a slug completed by the organization when the skill is installed", async (t) => {
    const w = await makeFixture(t);
    const written = { skills: { review: { version: "^1", note: "kept" }, zeta: "latest" } };
    await writeFile(join(w.project, "svc.json"), JSON.stringify(written));

    await w.run("install", "review@^1", "-t", "claude", "-p");

    assert.deepEqual(Object.keys(((await manifestOf(w)) as typeof written).skills), ["acme/review", "zeta"]);
    assert.match(await w.read(w.project, "svc.json"), /"note": "kept"/);
    assert.deepEqual([...(await lockOf(w)).keys()], ["acme/review"]);
  });

  it("does not match another organization's skill by a slug alone", async (t) => {
    const w = await withStranger(t);
    await writeFile(join(w.project, "svc.json"), JSON.stringify({ skills: { review: "^1" } }));

    await w.run("install", "globex/review", "-t", "claude", "-p", "--trust", "globex");

    assert.deepEqual([...(await lockOf(w)).keys()], ["globex/review"]);
    assert.equal((await w.run("restore")).error.code, "E_VERSION_CHANGED");
  });

  it("contains no name that runs a command when a suggestion of svc is pasted", async (t) => {
    const w = await makeFixture(t);
    const ref = "https://x/$(touch${IFS}owned)`id`'s";
    await mkdir(w.project, { recursive: true });
    await writeFile(join(w.project, "svc.json"), JSON.stringify({ skills: { [ref]: "latest" } }));
    await writeFile(join(w.project, "svc.lock"), '{ "lockVersion": 1, "skills": {} }');

    const { error } = await w.run("restore");

    assert.ok(
      String(error.details?.["fix"]).startsWith(`svc install '${ref.replace("'", "'\\''")}' -p`),
      String(error.details?.["fix"]),
    );
  });
});

describe("a registry with another organization's skill of the same name", () => {
  let service: TestService;
  let ours: TestOrg;
  let theirs: TestOrg;
  let user: TestUser;
  let target: SkillPayload;

  const publish = async (by: TestUser, org: TestOrg, content: string) =>
    (
      await service.call<PublishResult>("POST", "/api/skills", {
        token: by.token,
        body: { tenantId: org.slug, name: "Deploy", content, visibility: "public" },
      })
    ).data.skill;

  before(async () => {
    service = await startService();
    const stranger = await service.newUser();
    const owner = await service.newUser();
    user = owner;
    ours = await service.newOrg(owner);
    theirs = await service.newOrg(stranger);
    target = await publish(owner, ours, "ours\n");
    await publish(stranger, theirs, "theirs\n");
  });
  after(() => service.close());

  it("never serves it for a slug alone, also after the caller's own was deleted", async (t) => {
    const [home, empty] = [await temporaryFolder(t), await temporaryFolder(t)];
    const line = ["install", "deploy", "-t", "claude", "-g", "-o", "json"];
    const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token };

    const own = await svc(line, { home, env });
    const signedOut = await svc(line, { home: empty, env: { SVC_API_URL: service.url } });
    await service.call("DELETE", `/api/skills/${target.id}`, { token: user.token });
    const deleted = await svc(line, { home: empty, env });
    const pulled = await svc(["pull", "-o", "json"], { home, env });

    assert.equal((own.data as { skill: { tenantSlug: string } }).skill.tenantSlug, ours.slug);
    const refs = (ran: Ran) => (ran.error.details!["candidates"] as { ref: string }[]).map(({ ref }) => ref);
    assert.deepEqual([signedOut.error.code, deleted.error.code], ["E_NOT_FOUND", "E_NOT_FOUND"]);
    assert.deepEqual(
      [refs(signedOut), refs(deleted)],
      [[`${ours.slug}/deploy`, `${theirs.slug}/deploy`], [`${theirs.slug}/deploy`]],
    );
    const [{ outcome }] = (pulled.data as { skills: [{ outcome: string }] }).skills;
    assert.equal(outcome, "failed");
    const text = await readFile(join(home, ".claude/skills/deploy/SKILL.md"), "utf8");
    assert.match(text, /ours/);
    const config = JSON.parse(await readFile(join(home, ".svc", "config.json"), "utf8")) as Config;
    assert.equal(config.profiles["default"]!.installed["deploy"]!.tenantId, ours.id);
  });
});
