import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReachedInstallPayload, SkillReachPayload } from "../../contract/payloads/skills/reach.ts";
import { reachSentence, spreadText } from "../../contract/text/reach-text.ts";
import { holdVersion } from "../support/holds.ts";
import { newMember } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

const { service, owner, org } = await setUpOrganization({
  reportsCommands: true,
});

type Place = { platform?: string; scope?: string; machine: string };
const report = (id: string, who: TestUser, version: number, range: string | undefined, place: Place) =>
  service.call<{ recorded: boolean }>("PUT", `/api/skills/${id}/installs`, {
    token: who.token,
    body: { platform: "claude", scope: "global", version, range, ...place },
  });
const reach = async (id: string, query = "", token = owner.token) =>
  service.call<SkillReachPayload>("GET", `/api/skills/${id}/reach${query}`, {
    token,
  });
const list = (id: string, query = "", token = owner.token) =>
  service.call<ReachedInstallPayload[]>("GET", `/api/skills/${id}/reach/installs${query}`, { token });

/** Versions 1.0.0, 1.1.0 and 2.0.0, with installs of two members. */
async function newInstalled(name: string) {
  const skill = await newVersionedSkill({ service, user: owner, org, name });
  await skill.push({ bump: "minor" });
  await skill.push({ bump: "major" });
  const [ada, bob] = [await newMember(service, org, "member"), await newMember(service, org, "viewer")];
  const places: [TestUser, number, string | undefined, Place][] = [
    [ada, 3, "latest", { machine: "a1" }],
    [ada, 3, "latest", { machine: "a1", platform: "cursor" }],
    [ada, 2, "^1.0.0", { machine: "a1", scope: "project" }],
    [ada, 2, "latest", { machine: "a2" }],
    [bob, 3, ">=1", { machine: "b1" }],
    [bob, 1, "1.0.0", { machine: "b2" }],
    [bob, 3, "3", { machine: "b3" }],
    [bob, 1, undefined, { machine: "b4" }],
  ];
  for (const [who, version, range, place] of places)
    assert.equal((await report(skill.id, who, version, range, place)).data.recorded, true, range);
  return { ...skill, ada, bob };
}

const shortOf = ({ pins, all, installed, getting, spread }: SkillReachPayload) => ({
  ...Object.fromEntries(
    Object.entries({ all, installed, getting, ...pins }).map(([name, { members, machines }]) => [
      name,
      `${machines}/${members}`,
    ]),
  ),
  spread: `${spread.machines}/${spread.of}`,
});

describe("the reach of a version", () => {
  it("counts distinct machines and members by what their pins do", async () => {
    const { id } = await newInstalled("Reached");

    const current = (await reach(id)).data;
    assert.deepEqual(shortOf(current), {
      all: "6/2",
      installed: "3/2",
      getting: "4/2",
      latest: "2/1",
      channel: "0/0",
      range: "1/1",
      exact: "1/1",
      elsewhere: "1/1",
      outside: "1/1",
      unknown: "1/1",
      spread: "3/4",
    });
    assert.equal(current.isLatest && current.isExact && current.isComplete, true);
    assert.equal(current.pins.outside.projects, 1);
    assert.deepEqual(current.pins.latest.targets, [
      { target: "claude", machines: 2 },
      { target: "cursor", machines: 1 },
    ]);
    assert.equal(spreadText(current), "3 of 4 machines that get it");
    assert.equal(
      reachSentence(current),
      "3 machines of 2 members have 2.0.0; 2 machines of 1 member follow the latest version; " +
        "1 machine of 1 member has a range that admits it; 1 machine of 1 member is pinned to it; " +
        "1 machine of 1 member is pinned to another version; 1 project machine of 1 member has a range without it.",
    );
  });

  it("is that of the version that a pin selects", async () => {
    const { id } = await newInstalled("Reached earlier");

    const { data } = await reach(id, "?version=%5E1");
    assert.equal(data.semver, "1.1.0");
    assert.equal(data.isLatest, false);
    const { getting, range, outside, elsewhere, latest, installed } = shortOf(data) as Record<string, string>;
    assert.deepEqual(
      { getting, range, outside, elsewhere, latest, installed },
      {
        getting: "1/1",
        range: "2/2",
        outside: "0/0",
        elsewhere: "2/1",
        latest: "2/1",
        installed: "2/1",
      },
    );
    assert.equal((await reach(id, "?version=9.9.9")).code, "not_found");
    assert.equal((await reach(id, "?version=%5B")).code, "invalid_request");
  });

  it("follows reports, removals and yanks at once", async () => {
    const { id, ada } = await newInstalled("Reached changes");

    await report(id, ada, 3, "latest", { machine: "a2" });
    assert.deepEqual((await reach(id)).data.spread, { machines: 4, of: 4 });
    await service.call("DELETE", `/api/skills/${id}/installs?platform=claude&scope=global&machine=a2`, {
      token: ada.token,
    });
    assert.deepEqual((await reach(id)).data.spread, { machines: 3, of: 3 });
    const mark = { yanked: true, reason: "It is wrong" };
    await service.call("PATCH", `/api/skills/${id}/versions/3`, {
      token: owner.token,
      body: mark,
    });
    const yanked = (await reach(id, "?version=3")).data;
    assert.deepEqual([yanked.isLatest, yanked.getting.machines], [false, 1]);
    assert.equal((await reach(id)).data.semver, "1.1.0");
  });

  it("of a held version is that after its release, for those who see it", async () => {
    const { id, push } = await newInstalled("Reached held");
    await push({ bump: "minor" });
    await holdVersion(service.app, id, 4, "review");
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: {
        name: "Analyst",
        permissions: { skill: ["read"], analytics: ["read"] },
      },
    });
    const analyst = await newMember(service, org, role.data.id);

    const { data } = await reach(id, "?version=2.1.0");
    assert.deepEqual([data.isLatest, data.getting.machines, data.spread.machines], [true, 3, 0]);
    assert.equal((await reach(id, "?version=2.1.0", analyst.token)).code, "not_found");
    assert.equal((await reach(id, "", analyst.token)).data.isExact, true);
  });

  it("is rounded up for those who may update the skill and not read its installs", async () => {
    const { id } = await newInstalled("Reached roughly");
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: { name: "Editor", permissions: { skill: ["read", "update"] } },
    });
    const editor = await newMember(service, org, role.data.id);

    const { data } = await reach(id, "", editor.token);
    assert.equal(data.isExact, false);
    const rough = shortOf(data) as Record<string, string>;
    assert.deepEqual([rough.all, rough.latest, rough.channel, rough.spread], ["10/5", "5/5", "0/0", "5/5"]);
    assert.match(reachSentence(data), /^Up to 5 machines of up to 5 members have 2\.0\.0;/);
    assert.equal((await list(id, "", editor.token)).code, "forbidden");
  });

  it("is refused to everyone else", async () => {
    const { id } = await newInstalled("Reached guarded");
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: { name: "Reader", permissions: { skill: ["read"] } },
    });
    const [reader, stranger] = [await newMember(service, org, role.data.id), await service.newUser()];
    const scoped = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      token: owner.token,
      body: { name: "reader", scopes: { skill: ["read"] } },
    });

    for (const read of [reach, list]) {
      assert.equal((await read(id, "", reader.token)).code, "forbidden");
      assert.equal((await read(id, "", scoped.data.token)).code, "forbidden");
      assert.equal((await read(id, "", stranger.token)).code, "not_found");
    }
    await service.call("PUT", `/api/skills/${id}`, {
      token: owner.token,
      body: { visibility: "public" },
    });
    for (const read of [reach, list]) assert.equal((await read(id, "", stranger.token)).code, "forbidden");
  });

  it("reads the installs by an index", async () => {
    const { id } = await newInstalled("Reached by index");

    const plans = await plansOf(service, async () => {
      await reach(id);
      await list(id, "?class=latest&limit=2");
    });

    assertIndexed(
      plans.filter(({ command }) => command["find"] === "installs"),
      8,
    );
  });

  it("of a skill with many installs is read once in a minute", async () => {
    const { id, ada } = await newInstalled("Reached by many");
    const { raw } = service.app.storage.database;
    const rows = raw.collection("installs");
    const template = await rows.findOne({ skillId: id, range: "latest" });
    await rows.insertMany(
      Array.from({ length: 1200 }, (_, index) => ({
        ...template,
        _id: service.app.newId() as never,
        machine: `many-${index}`,
      })),
    );

    const first = await Promise.all([reach(id), reach(id), reach(id, "?version=1")]);
    assert.deepEqual(
      first.map(({ data }) => data.all.machines),
      [1206, 1206, 1206],
    );
    await report(id, ada, 3, "latest", { machine: "a9" });
    assert.equal((await reach(id)).data.all.machines, 1206);
  });
});

describe("the installs that a version reaches", () => {
  it("are listed by page, with the members and their pins", async () => {
    const { id, ada } = await newInstalled("Listed reach");

    const first = await list(id, "?class=latest&limit=2");
    assert.equal(first.data.length, 2);
    const last = await list(id, `?class=latest&limit=2&cursor=${first.nextCursor}`);
    assert.equal(last.nextCursor, null);
    const all = [...first.data, ...last.data];
    assert.deepEqual(
      all.map(({ user, platform, pin, semver }) => [user.username, platform, pin, semver]),
      [
        [ada.username, "claude", "latest", "1.1.0"],
        [ada.username, "cursor", "latest", "2.0.0"],
        [ada.username, "claude", "latest", "2.0.0"],
      ],
    );
    assert.deepEqual(
      (await list(id, "?class=unknown")).data.map(({ pin, semver }) => [pin, semver]),
      [[undefined, "1.0.0"]],
    );
    assert.equal((await list(id)).data.length, 8);
    assert.equal((await list(id, "?class=none")).code, "invalid_request");
  });
});
