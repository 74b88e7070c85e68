import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OwnInstallPayload, TenantUsagePayload } from "../../contract/payloads/usage/analytics.ts";
import type { TenantContextPayload } from "../../contract/payloads/usage/context-budget.ts";
import type {
  SkillTeamsPayload,
  TeamUsagePayload,
  TenantTeamsPayload,
} from "../../contract/payloads/usage/team-usage.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { assertIndexed, insertCopies, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { service } = await setUpService({ reportsCommands: true });
const { owner, org } = await newOrganization(service);
const base = `/api/tenants/${org.slug}`;
const newTeam = async (name: string, at = org.id, by = owner) => {
  const made = await service.call<{ id: string }>("POST", `/api/tenants/${at}/teams`, {
    token: by.token,
    body: { name, roles: [] },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data.id;
};
const [alpha, beta, empty] = [await newTeam("Alpha"), await newTeam("Beta"), await newTeam("Empty")];
const ann = await newMember(service, org, "member", [alpha]);
const bob = await newMember(service, org, "member", [alpha, beta]);
await newMember(service, org, "member", [alpha]);
const vault = await newFolder(service, org, owner, "vault");
await restrict(service, owner, vault.id, []);
const publish = async (name: string, fields: object = {}) =>
  (await publishSkill(service, org, owner, { name, visibility: "private", ...fields })).id;
const shared = await publish("Shared", { content: text("shared", "word ".repeat(100)) });
const secret = await publish("Secret", { folder: "vault", content: text("secret", "word ".repeat(300)) });
await service.call("POST", `/api/skills/${shared}/versions`, {
  token: owner.token,
  body: { content: text("shared", "word ".repeat(100), "New.") },
});
await install(shared, ann, "a", 1);
await install(shared, ann, "b", 2);
await install(shared, bob, "c", 2, "cursor");
await install(shared, owner, "d", 1);
await install(secret, owner, "d", 1);
await service.settled();

function text(name: string, description: string, body = ""): string {
  return `---\nname: ${name}\ndescription: ${description.trim()}\n---\n# Text\n\n${body}\n`;
}
async function install(skill: string, user: TestUser, machine: string, version: number, platform = "claude") {
  const body = { platform, scope: "global", version, machine };
  const made = await service.call("PUT", `/api/skills/${skill}/installs`, { token: user.token, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
}
const get = <T>(path: string, by: TestUser) => service.call<T>("GET", path, { token: by.token });
let roles = 0;
const newReader = async (permissions: object) => {
  const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
    token: owner.token,
    body: { name: `Readers ${++roles}`, permissions },
  });
  return newMember(service, org, role.data.id);
};
const readers = async (path: string) => {
  const reader = await newReader({ skill: ["read"] });
  const stranger = await service.newUser();
  return [(await get(path, reader)).code, (await get(path, stranger)).code];
};

describe("installs by team", () => {
  it("count the members of each team who have a skill, without naming them", async () => {
    const { data } = await get<SkillTeamsPayload>(`/api/skills/${shared}/analytics/teams`, owner);

    assert.deepEqual(data, {
      isComplete: true,
      people: 3,
      count: 2,
      teams: [
        { team: { id: alpha, name: "Alpha" }, members: 3, people: 2, installs: 3, outdated: 1 },
        { team: { id: beta, name: "Beta" }, members: 1, people: 1, installs: 1, outdated: 0 },
      ],
      withoutTeam: { people: 1, installs: 1, outdated: 1 },
    });
    for (const { username } of [ann, bob]) assert.ok(!JSON.stringify(data).includes(username));
  });

  it("are about the skills that the caller may read", async () => {
    const [all, some] = [
      (await get<TenantTeamsPayload>(`${base}/analytics/teams`, owner)).data,
      (await get<TenantTeamsPayload>(`${base}/analytics/teams`, ann)).data,
    ];

    assert.deepEqual(
      all.teams.map(({ team, members, people, installs }) => [team.name, members, people, installs]),
      [
        ["Alpha", 3, 2, 3],
        ["Beta", 1, 1, 1],
      ],
    );
    assert.deepEqual(
      [all.withoutTeam, some.withoutTeam].map(({ installs }) => installs),
      [2, 1],
    );
    assert.equal((await get(`/api/skills/${secret}/analytics/teams`, ann)).status, 404);
  });

  it("list the skills of a team of the organization", async () => {
    const { data } = await get<TeamUsagePayload>(`${base}/analytics/teams/${alpha}`, owner);
    const none = await get<TeamUsagePayload>(`${base}/analytics/teams/${empty}`, owner);
    const neighbour = await newOrganization(service);
    const theirs = await newTeam("Theirs", neighbour.org.id, neighbour.owner);

    assert.deepEqual(
      data.skills.map(({ skill, people, installs, outdated }) => [skill.slug, people, installs, outdated]),
      [["shared", 2, 3, 1]],
    );
    assert.deepEqual([none.data.members, none.data.skills], [0, []]);
    assert.equal((await get(`${base}/analytics/teams/${theirs}`, owner)).code, "not_found");
  });

  it("are for those who may read analytics", async () => {
    for (const path of [`${base}/analytics/teams`, `${base}/analytics/teams/${alpha}`])
      assert.deepEqual(await readers(path), ["forbidden", "not_found"]);
    assert.deepEqual(await readers(`/api/skills/${shared}/analytics/teams`), ["forbidden", "not_found"]);
  });

  it("name no team to those who may not read members", async () => {
    const analyst = await newReader({ skill: ["read"], analytics: ["read"] });
    const paths = [
      `${base}/teams`,
      `${base}/analytics/teams`,
      `${base}/analytics/teams/${alpha}`,
      `/api/skills/${shared}/analytics/teams`,
    ];

    const codes = [];
    for (const path of paths) codes.push((await get(path, analyst)).code);

    assert.deepEqual(codes, Array<string>(paths.length).fill("forbidden"));
    assert.equal((await get(`${base}/analytics/usage`, analyst)).status, 200);
  });
});

describe("the context budget", () => {
  it("counts people by the estimated tokens in each tool, and names the largest skills", async () => {
    const { data } = await get<TenantContextPayload>(`${base}/analytics/context`, owner);

    assert.equal(data.people, 3);
    const [claude, cursor] = data.tools;
    assert.deepEqual(
      [claude?.platform, claude?.people, cursor?.platform, cursor?.people],
      ["claude", 2, "cursor", 1],
    );
    const [sharedCost, secretCost] = ["shared", "secret"].map((slug) =>
      data.skills.find(({ skill }) => skill.slug === slug)!,
    );
    assert.ok(sharedCost!.idle > 100 && secretCost!.idle > 300);
    assert.equal(claude?.largest, sharedCost!.idle + secretCost!.idle);
    assert.equal(claude?.median, sharedCost!.idle);
    assert.equal(
      claude?.distribution.reduce((sum, count) => sum + count, 0),
      2,
    );
    assert.deepEqual([sharedCost!.setups, secretCost!.setups], [4, 1]);
    assert.ok(Math.abs(data.skills.reduce((sum, { share }) => sum + share, 0) - 100) < 0.3);
  });

  it("leaves out skills that the caller may not read, and is for readers of analytics", async () => {
    const { data } = await get<TenantContextPayload>(`${base}/analytics/context`, ann);

    assert.ok(!JSON.stringify(data).includes("secret"));
    assert.equal(data.tools.find(({ platform }) => platform === "claude")?.largest, data.skills[0]?.idle);
    assert.deepEqual(await readers(`${base}/analytics/context`), ["forbidden", "not_found"]);
  });

  it("has the tokens of the caller's own installs", async () => {
    const { data } = await get<OwnInstallPayload[]>("/api/user/installs", owner);

    assert.deepEqual(
      data.map(({ skill, idleTokens }) => [skill.slug, idleTokens > 100]),
      [
        ["secret", true],
        ["shared", true],
      ],
    );
  });
});

describe("the adoption of the latest releases", () => {
  it("is the share of installs with the current version of each skill", async () => {
    const { data } = await get<TenantUsagePayload>(`${base}/analytics/usage`, owner);

    assert.deepEqual(
      data.releases.map(({ skill, semver, installs, adopted }) => [skill.slug, semver, installs, adopted]),
      [
        ["shared", "1.0.1", 4, 2],
        ["secret", "1.0.0", 1, 1],
      ],
    );
  });
});

describe("the queries about installs", () => {
  it("read by index only", async () => {
    await insertCopies(service, "installs", 300, (index) => ({
      skillId: `s${index}`,
      userId: `u${index}`,
      tenantId: "other",
    }));

    const plans = await plansOf(service, async () => {
      for (const path of ["usage", "teams", `teams/${alpha}`, "context"])
        assert.equal((await get(`${base}/analytics/${path}`, ann)).status, 200);
      await get(`/api/skills/${shared}/analytics/teams`, ann);
      await get(`${base}/analytics/context`, owner);
    });

    assertIndexed(plans, 20);
  });
});
