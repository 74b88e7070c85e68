import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type {
  OwnInstallPayload,
  RecordedInstallPayload,
  SkillInstallPayload,
} from "../../contract/payloads/usage/analytics.ts";
import { removeInstallsOfMember } from "../../src/skills/analytics/installs.ts";
import { eraseSkill } from "../../src/skills/settings/erase.ts";
import { cleanUpAfterMember } from "../../workers/orgs/member-left.ts";
import { newFolder, newMember, restrict, publishSkill } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

let clock = Date.parse("2026-03-31T12:00:00.000Z");

const { service } = await setUpService({ reportsCommands: true, now: () => new Date((clock += 1000)) });
const owner = await service.newUser();
const stranger = await service.newUser();
await service.newOrg(stranger);
const org = await service.newOrg(owner);
const member = await newMember(service, org, "member");
const skill = await publishSkill(service, org, owner, { name: "Installed", visibility: "public" });
let pushes = 0;
await push(skill, {});

async function push(to: SkillPayload, fields: object): Promise<void> {
  const made = await service.call("POST", `/api/skills/${to.id}/versions`, {
    token: owner.token,
    body: { content: `text ${pushes++}\n`, ...fields },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
}

const place = { platform: "claude", scope: "global", machine: "m1" };
const put = (token: string | undefined, fields: object = {}, ref = skill.id) =>
  service.call<RecordedInstallPayload>("PUT", `/api/skills/${ref}/installs`, {
    token,
    body: { ...place, version: 1, ...fields },
  });
const forget = (token: string | undefined, fields: Record<string, string> = {}, ref = skill.id) =>
  service.call(
    "DELETE",
    `/api/skills/${ref}/installs?${new URLSearchParams({ ...place, ...fields }).toString()}`,
    {
      token,
    },
  );
const listed = async (token = owner.token, query = "", ref = skill.id) => {
  const answer = await service.call<SkillInstallPayload[]>("GET", `/api/skills/${ref}/installs${query}`, {
    token,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer;
};
const own = async (user: TestUser, query = "") =>
  service.call<OwnInstallPayload[]>("GET", `/api/user/installs${query}`, { token: user.token });
const stored = () => service.app.storage.database.raw.collection("installs");
const empty = () => stored().deleteMany({});

describe("a reported install", () => {
  before(empty);

  it("is stored once per member, machine, platform and scope, with the latest reported version", async () => {
    await put(member.token);
    await put(member.token, { version: "1.0.1" });
    await put(member.token, { scope: "project" });
    await put(member.token, { machine: "m2", version: 2 });
    await put(owner.token, { platform: "cursor" });

    const rows = (await listed()).data;

    assert.deepEqual(
      rows.map(({ user, platform, scope, version, semver, updateAvailable }) => [
        user.username,
        platform,
        scope,
        version,
        semver,
        updateAvailable,
      ]),
      [
        [owner.username, "cursor", "global", 1, "1.0.0", true],
        [member.username, "claude", "global", 2, "1.0.1", false],
        [member.username, "claude", "project", 1, "1.0.0", true],
        [member.username, "claude", "global", 2, "1.0.1", false],
      ],
    );
    assert.ok(rows[3]!.updatedAt > rows[3]!.installedAt);
    assert.deepEqual(rows[0]!.user, { id: owner.id, username: owner.username, name: owner.username });
  });

  it("is stored in one row after 30 concurrent reports", async () => {
    await empty();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => put(member.token, { version: 1 + (index % 2) })),
    );

    assert.ok(answers.every(({ status, data }) => status === 200 && data.recorded));
    assert.equal(await stored().countDocuments(), 1);
  });

  it("replaces the oldest ones when a client reports too many machines", async () => {
    await empty();
    for (let i = 0; i < limits.installsPerSkill + 5; i++) await put(member.token, { machine: `m${i}` });

    assert.equal(await stored().countDocuments(), limits.installsPerSkill);
    assert.equal(await stored().countDocuments({ machine: "m4" }), 0);
    assert.equal(await stored().countDocuments({ machine: "m5" }), 1);
  });

  it("is removed when its removal is reported, which may be repeated", async () => {
    await empty();
    await put(member.token);
    await put(owner.token);

    const others = await forget(member.token, { machine: "other" });
    const first = await forget(member.token, {}, `${org.slug}~${skill.slug}`);
    const second = await forget(member.token);

    for (const { body } of [others, first, second]) assert.deepEqual(body, { success: true });
    assert.deepEqual(
      (await listed()).data.map(({ user }) => user.id),
      [owner.id],
    );
  });

  it("is rejected if a field is invalid", async () => {
    await empty();
    for (const wrong of [
      { platform: "emacs" },
      { scope: "everywhere" },
      { machine: "" },
      { machine: "x".repeat(65) },
      { machine: "a b" },
      { machine: "ünï" },
      { machine: { $ne: 1 } },
      { version: 0 },
      { version: 1.5 },
      { version: "^1.0.0" },
      { version: "latest" },
      { version: "" },
      { version: null },
      { userId: owner.id },
      { tenantId: "x" },
    ])
      assert.equal((await put(member.token, wrong)).code, "invalid_request", JSON.stringify(wrong));
    for (const missing of [{ version: 99 }, { version: "9.9.9" }, { version: "99" }])
      assert.equal((await put(member.token, missing)).code, "not_found", JSON.stringify(missing));
    assert.equal((await forget(member.token, { platform: "emacs" })).code, "invalid_request");
    assert.equal(
      (await service.call("DELETE", `/api/skills/${skill.id}/installs`, member)).code,
      "invalid_request",
    );
    assert.equal(await stored().countDocuments(), 0);
  });
});

describe("reports of installs by callers who aren't members", () => {
  before(empty);

  it("are accepted but not stored for anonymous callers, other organizations and organization tokens", async () => {
    const minted = await service.call<{ token: string }>("POST", `/api/tenants/${org.slug}/tokens`, {
      token: owner.token,
      body: { name: "CI" },
    });
    assert.equal(minted.status, 201, JSON.stringify(minted.body));
    for (const token of [undefined, stranger.token, minted.data.token]) {
      const answer = await put(token);
      assert.deepEqual([answer.status, answer.data], [200, { recorded: false }]);
      assert.equal((await forget(token)).status, 200);
    }
    assert.equal(await stored().countDocuments(), 0);
    assert.deepEqual((await own(stranger)).data, []);
  });

  it("are not stored for a token narrowed to another folder, or without the right to read", async () => {
    const folder = await newFolder(service, org, owner, "elsewhere");
    const mint = async (fields: object) =>
      (
        await service.call<{ token: string }>("POST", "/api/user/tokens", {
          cookie: owner.cookie,
          body: { name: "narrow", ...fields },
        })
      ).data.token;

    for (const fields of [{ allowedFolderIds: [folder.id] }, { scopes: { folder: ["create"] } }])
      assert.deepEqual((await put(await mint(fields))).data, { recorded: false });
    assert.deepEqual((await put(await mint({ scopes: { skill: ["read"] } }))).data, { recorded: true });
    await empty();
  });

  it("reveal nothing about a skill that the caller can't see", async () => {
    const secret = await publishSkill(service, org, owner, { name: "Unseen" });
    const unknown = await put(stranger.token, {}, "f".repeat(24));
    const unseen = await put(stranger.token, {}, secret.id);

    assert.deepEqual([unknown.code, unseen.code], ["not_found", "not_found"]);
    assert.equal((await put(undefined, {}, secret.id)).code, "unauthenticated");
    assert.equal((await forget(stranger.token, {}, secret.id)).code, "not_found");
    assert.equal(
      (await service.call("GET", `/api/skills/${secret.id}/installs`, stranger)).code,
      "not_found",
    );
    // The skill is visible, but only its organization may see who installed it.
    assert.equal((await service.call("GET", `/api/skills/${skill.id}/installs`, stranger)).code, "forbidden");
    assert.equal((await service.call("GET", `/api/skills/${skill.id}/installs`)).code, "unauthenticated");
  });
});

describe("the list of installs", () => {
  before(empty);

  it("pages without loss or duplicates, and omits members who have left", async () => {
    const leaving = await newMember(service, org, "member");
    for (let i = 0; i < 4; i++) {
      await put(member.token, { machine: `m${i}` });
      await put(leaving.token, { machine: `m${i}` });
    }
    const all = async () => {
      const ids: string[] = [];
      let cursor = "";
      do {
        const page = await listed(owner.token, `?limit=3${cursor}`);
        ids.push(...page.data.map((row) => row.id));
        assert.ok(page.nextCursor === null || page.data.length === 3, "a page is full or the last");
        cursor = page.nextCursor ? `&cursor=${encodeURIComponent(page.nextCursor)}` : "";
      } while (cursor !== "");
      return ids;
    };

    const before8 = await all();
    const left = await service.call("DELETE", `/api/tenants/${org.slug}/members/${leaving.id}`, owner);
    const after4 = await all();

    assert.equal(left.status, 200, JSON.stringify(left.body));
    assert.deepEqual([before8.length, new Set(before8).size], [8, 8]);
    assert.equal(after4.length, 4, "although the clean-up has not run");
    await cleanUpAfterMember(service.app, { tenantId: org.id, userId: leaving.id });
    assert.equal(await stored().countDocuments({ userId: leaving.id }), 0);
    assert.equal((await service.call("GET", `/api/skills/${skill.id}/installs?cursor=x`, owner)).status, 400);
  });

  it("shows members their own installs, of skills that they can still see", async () => {
    const vault = await newFolder(service, org, owner, "vault");
    const hidden = await publishSkill(service, org, owner, {
      name: "Hidden soon",
      folder: "vault",
      visibility: "public",
    });
    await put(member.token, { machine: "mine", version: 1 }, hidden.id);
    const seen = (await own(member)).data;
    await restrict(service, owner, vault.id, []);
    const unseen = (await own(member)).data;
    // The caller can still remove the report of a hidden skill, but does not learn that the skill exists.
    const gone = await forget(member.token, { machine: "mine" }, hidden.publicId);

    assert.deepEqual(seen[0]!.skill, {
      id: hidden.id,
      publicId: hidden.publicId,
      slug: hidden.slug,
      tenantSlug: org.slug,
      name: "Hidden soon",
    });
    assert.deepEqual([seen[0]!.machine, seen[0]!.updateAvailable], ["mine", false]);
    assert.deepEqual([seen.length, unseen.length], [5, 4]);
    assert.equal(gone.code, "not_found");
    assert.equal(await stored().countDocuments({ skillId: hidden.id }), 0);
    assert.equal((await service.call("GET", "/api/user/installs")).code, "unauthenticated");
  });

  it("distinguishes a rollback from a prerelease", async () => {
    const rolled = await publishSkill(service, org, owner, { name: "Rolled", visibility: "public" });
    await push(rolled, {});
    await push(rolled, { prerelease: true });
    await put(owner.token, { machine: "one", version: 1 }, rolled.id);
    await put(owner.token, { machine: "two", version: 2 }, rolled.id);
    await put(owner.token, { machine: "three", version: 3 }, rolled.id);
    const states = async () =>
      (await listed(owner.token, "", rolled.id)).data.map((row) => [row.version, row.updateAvailable]);

    const published = await states();
    await service.call("POST", `/api/skills/${rolled.id}/revert`, {
      token: owner.token,
      body: { version: 1 },
    });

    assert.deepEqual(published, [
      [3, false],
      [2, false],
      [1, true],
    ]);
    assert.deepEqual(await states(), [
      [3, false],
      [2, true],
      [1, false],
    ]);
  });

  it("compares a prerelease by its number, not by the order of publishing", async () => {
    const next = await publishSkill(service, org, owner, { name: "Next major", visibility: "public" });
    await push(next, { bump: "major", prerelease: "rc" });
    await put(owner.token, { machine: "one", version: 2 }, next.id);
    const isBehind = async () => (await listed(owner.token, "", next.id)).data[0]!.updateAvailable;

    await push(next, {});
    const afterPatch = await isBehind();
    await push(next, { bump: "major" });

    assert.deepEqual([afterPatch, await isBehind()], [false, true]);
  });

  it("reads and writes by index only", async () => {
    await stored().insertMany(
      Array.from({ length: 300 }, (_, index) => ({
        skillId: index % 2 ? skill.id : `s${index}`,
        userId: `u${index}`,
        tenantId: index % 2 ? org.id : "other",
        machine: "m",
        platform: "claude",
        scope: "global",
        version: 1,
        semver: "1.0.0",
        installedAt: new Date(0),
        updatedAt: new Date(index),
      })),
    );

    const plans = await plansOf(service, async () => {
      await put(member.token, { machine: "planned" });
      await put(member.token, { machine: "planned", version: 2 });
      await forget(member.token, { machine: "planned" });
      await listed(owner.token, "?limit=2");
      await own(member, "?limit=2");
      await removeInstallsOfMember(service.app, org.id, member.id);
    });

    // Lists read 100 rows at a time at least.
    assertIndexed(plans, 100);
  });
});

describe("deletion of a skill", () => {
  it("removes its installs and ignores later reports", async () => {
    await empty();
    const short = await publishSkill(service, org, owner, { name: "Short", visibility: "public" });
    await put(member.token, {}, short.id);
    await service.call("DELETE", `/api/skills/${short.id}`, { token: owner.token });

    await eraseSkill(service.app, { tenantId: org.id, skillId: short.id });

    assert.equal(await stored().countDocuments(), 0);
    assert.equal((await put(member.token, {}, short.id)).code, "not_found");
  });

  it("removes a report that was made while its member was being removed", async () => {
    const leaving = await newMember(service, org, "member");
    const { put: write } = service.app.storage.installs;
    service.app.storage.installs.put = async (row) => {
      await service.call("DELETE", `/api/tenants/${org.slug}/members/${leaving.id}`, owner);
      await cleanUpAfterMember(service.app, { tenantId: org.id, userId: leaving.id });
      return write(row);
    };
    const answer = await put(leaving.token).finally(() => (service.app.storage.installs.put = write));

    assert.deepEqual(answer.data, { recorded: false });
    assert.equal(await stored().countDocuments({ userId: leaving.id }), 0);
  });
});
