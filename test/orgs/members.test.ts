import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MemberPayload } from "../../contract/payloads/organizations/organizations.ts";
import { releaseOwner } from "../../src/orgs/owners.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import type { Answer, TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture, type Fixture } from "./fixture.ts";

const { service } = await setUpService();

const remove = (fixture: Fixture, by: TestUser, whom: TestUser) =>
  fixture.at(by, "DELETE", `/members/${whom.id}`);
const giveRole = (fixture: Fixture, by: TestUser, whom: TestUser, role: string) =>
  fixture.at<MemberPayload>(by, "PATCH", `/members/${whom.id}`, { role });

/** Owners by their memberships, and the owners that the tenant counts. */
async function owners(fixture: Fixture): Promise<{ real: string[]; counted: string[] }> {
  await service.settled();
  const { tenants, memberships } = service.app.storage;
  const rows = await memberships.listWithRole(fixture.org.id, "owner", 100);
  const tenant = await tenants.find(fixture.org.id);
  return { real: rows.map((row) => row.userId).sort(), counted: tenant!.ownerIds.toSorted() };
}

describe("the list of members", () => {
  it("pages by user name, and searches by prefix", async () => {
    const fixture = await makeFixture(service);
    for (const name of ["list-c", "list-a", "list-b"]) await fixture.join("member", name);
    const named = await fixture.join("viewer", "list-z");
    await service.call("PATCH", "/api/user/profile", {
      token: named.token,
      body: { name: "Ada Byron King" },
    });

    const names: string[] = [];
    let cursor: string | null | undefined = "";
    while (cursor !== null) {
      const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: Answer<MemberPayload[]> = await fixture.at<MemberPayload[]>(
        fixture.owner,
        "GET",
        `/members?limit=2${at}`,
      );
      names.push(...page.data.map((member) => member.username));
      cursor = page.nextCursor;
    }
    const found = async (query: string) =>
      (await fixture.at<MemberPayload[]>(fixture.owner, "GET", `/members?query=${query}`)).data.map(
        (member) => member.username,
      );

    assert.deepEqual(names, names.toSorted());
    assert.equal(names.length, 5);
    assert.deepEqual(await found("list-"), ["list-a", "list-b", "list-c", "list-z"]);
    assert.deepEqual(await found("BYR"), ["list-z"]);
    assert.deepEqual(await found("byron%20k"), ["list-z"]);
    assert.deepEqual(await found(".*"), []);
  });

  it("filters by role and team, and names both", async () => {
    const fixture = await makeFixture(service);
    const team = await fixture.newTeam("Crew");
    const role = await fixture.newRole("Readers", { skill: ["read"], member: ["read"] });
    const [reader, both] = [await fixture.join(role), await fixture.join(role)];
    const admin = await fixture.join("admin");
    for (const user of [both, admin])
      await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${user.id}`);
    const list = async (query: string, by = fixture.owner) =>
      (await fixture.at<MemberPayload[]>(by, "GET", `/members?${query}`)).data;
    const ids = (members: MemberPayload[]) => members.map(({ userId }) => userId).sort();

    const ofRole = await list(`role=${role}`);
    const ofBoth = await list(`role=${role}&team=${team}`);

    assert.deepEqual(ids(ofRole), [reader.id, both.id].sort());
    assert.deepEqual(ids(await list(`team=${team}`)), [admin.id, both.id].sort());
    assert.deepEqual(ids(ofBoth), [both.id]);
    assert.deepEqual(ids(await list(`role=${role}&query=${reader.username}`)), [reader.id]);
    assert.deepEqual(await list(`role=${service.app.newId()}`), []);
    const [shown] = ofBoth;
    assert.deepEqual([shown!.roleName, shown!.teams], ["Readers", [{ id: team, name: "Crew" }]]);
    const today = service.app.now().toISOString().slice(0, 10);
    assert.equal(shown!.lastSeenAt, today);
    assert.ok((await list("", reader)).every((member) => !("lastSeenAt" in member)));
  });

  it("shows addresses to those who may change members, and nothing to those who may not read them", async () => {
    const fixture = await makeFixture(service);
    const [member, viewer, stranger] = [
      await fixture.join("member"),
      await fixture.join("viewer"),
      await service.newUser(),
    ];

    const seen = async (user: TestUser) => fixture.at<MemberPayload[]>(user, "GET", "/members");

    assert.ok((await seen(fixture.owner)).data.every((one) => one.email?.endsWith("@example.com")));
    assert.ok((await seen(member)).data.every((one) => one.email === undefined));
    assert.equal((await seen(viewer)).code, "forbidden");
    assert.equal((await seen(stranger)).code, "not_found");
  });
});

describe("a change of role", () => {
  it("takes effect with the next call, and is audited once", async () => {
    const fixture = await makeFixture(service);
    const user = await fixture.join("viewer");

    const earlier = await fixture.permissionsOf(user);
    const changed = await giveRole(fixture, fixture.owner, user, "admin");
    const same = await giveRole(fixture, fixture.owner, user, "admin");
    const later = await fixture.permissionsOf(user);

    assert.equal(earlier["member"], undefined);
    assert.deepEqual([changed.data.role, same.status], ["admin", 200]);
    assert.ok(later["member"]!.includes("update"));
    const events = await fixture.events();
    assert.equal(events.filter((name) => name === "organization.member_role_updated").length, 1);
  });

  it("gives no permission that the caller lacks, and is refused for members who have more", async () => {
    const fixture = await makeFixture(service);
    const [admin, other, member] = [
      await fixture.join("admin"),
      await fixture.join("admin"),
      await fixture.join("member"),
    ];
    const strong = await fixture.newRole("Auditor", {
      auditLog: ["read"],
      member: ["read", "update", "remove"],
    });
    const auditor = await fixture.join(strong);

    const cases: [TestUser, TestUser, string, string | undefined][] = [
      [admin, member, "owner", "forbidden"],
      [admin, fixture.owner, "member", "forbidden"],
      [admin, admin, "owner", "forbidden"],
      [admin, other, "viewer", undefined],
      [auditor, member, "viewer", "forbidden"],
      [auditor, member, strong, "forbidden"],
      [auditor, admin, "viewer", "forbidden"],
      [member, admin, "viewer", "forbidden"],
      [admin, member, "no-such", "not_found"],
      [admin, member, service.app.newId(), "not_found"],
    ];
    for (const [by, whom, role, code] of cases) {
      const answer = await giveRole(fixture, by, whom, role);
      assert.equal(answer.code, code, `${by.username} → ${role}: ${JSON.stringify(answer.body)}`);
    }
    const refused = await remove(fixture, admin, fixture.owner);
    assert.equal(refused.code, "forbidden");
    assert.ok((refused.details!["missing"] as string[]).includes("sso:manage"));
  });

  it("includes the permissions of the caller's teams", async () => {
    const fixture = await makeFixture(service);
    const manager = await fixture.newRole("People", { member: ["read", "update", "remove"] });
    const [keeper, member] = [await fixture.join(manager), await fixture.join(manager)];
    const team = await fixture.newTeam("Operators", ["admin"]);
    await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${member.id}`);

    assert.equal((await remove(fixture, keeper, member)).code, "forbidden");
    await fixture.at(fixture.owner, "DELETE", `/teams/${team}/members/${member.id}`);
    assert.equal((await remove(fixture, keeper, member)).status, 200);
  });
});

describe("the end of a membership", () => {
  it("removes all access with the next call, and lets the person rejoin once it is cleaned up", async () => {
    const fixture = await makeFixture(service);
    const user = await fixture.join("member");
    const team = await fixture.newTeam("Short-lived");
    await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${user.id}`);

    const removed = await remove(fixture, fixture.owner, user);
    const seen = await fixture.at(user, "GET", "");
    const again = await remove(fixture, fixture.owner, user);
    await fixture.cleanUp();
    await fixture.add(user, "viewer");

    assert.deepEqual([removed.status, seen.code, again.code], [200, "not_found", "not_found"]);
    assert.deepEqual((await fixture.memberOf(user))?.teamIds, []);
    assert.ok((await fixture.events()).includes("organization.member_removed"));
  });

  it("is open to every member for themselves, except by a narrowed token", async () => {
    const fixture = await makeFixture(service);
    const user = await fixture.join("viewer");
    const narrow = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: user.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });

    const byToken = await remove(fixture, { ...user, token: narrow.data.token }, user);
    const left = await remove(fixture, user, user);

    assert.deepEqual([byToken.code, left.status], ["forbidden", 200]);
    assert.ok((await fixture.events()).includes("organization.member_left"));
  });

  it("is refused to the last owner, by every request", async () => {
    const fixture = await makeFixture(service);
    await fixture.join("admin");

    const answers = [
      await remove(fixture, fixture.owner, fixture.owner),
      await giveRole(fixture, fixture.owner, fixture.owner, "admin"),
    ];

    for (const answer of answers) assert.deepEqual([answer.status, answer.code], [422, "last_owner"]);
    assert.deepEqual(await owners(fixture), { real: [fixture.owner.id], counted: [fixture.owner.id] });
  });

  it("leaves exactly one owner when many leave at once", async () => {
    for (const round of [2, 6]) {
      const fixture = await makeFixture(service);
      const people = [fixture.owner];
      for (let i = 1; i < round; i++) people.push(await fixture.join("owner"));

      const answers = await Promise.all(
        people.map((one, at) =>
          at % 2 === 0 ? remove(fixture, one, one) : giveRole(fixture, one, one, "member"),
        ),
      );

      const { real, counted } = await owners(fixture);
      assert.equal(real.length, 1, JSON.stringify(answers.map((answer) => answer.code)));
      assert.deepEqual(counted, real);
      assert.equal(answers.filter((answer) => answer.status === 200).length, round - 1);
      assert.deepEqual(
        answers.filter((answer) => answer.status !== 200).map((answer) => answer.code),
        ["last_owner"],
      );
    }
  });

  it("never leaves the organization without an owner while owners are concurrently added and removed", async () => {
    const fixture = await makeFixture(service);
    const people = [fixture.owner];
    for (let i = 0; i < 3; i++) people.push(await fixture.join("owner"));

    for (let round = 0; round < 3; round++) {
      const [lead] = (await owners(fixture)).real;
      const by = people.find((one) => one.id === lead)!;
      await Promise.all(
        people.flatMap((one) => [
          giveRole(fixture, by, one, "admin"),
          giveRole(fixture, by, one, "owner"),
          giveRole(fixture, one, one, "member"),
        ]),
      );
      const { real, counted } = await owners(fixture);
      assert.ok(real.length > 0);
      assert.ok(counted.length > 0);
      assert.ok(
        counted.every((id) => real.includes(id)),
        `${counted.join()} of ${real.join()}`,
      );
    }
  });

  it("counts an owner again who was left uncounted by a crash", async () => {
    const fixture = await makeFixture(service);
    const second = await fixture.join("owner");
    const { memberships, tenants } = service.app.storage;
    await releaseOwner(service.app, (await memberships.find(fixture.org.id, second.id))!);
    await service.settled();
    const between = (await owners(fixture)).counted;

    const past = new Date(Date.now() - 60_000);
    await service.app.storage.database.raw
      .collection("tenants")
      .updateOne({ _id: fixture.org.id as never }, { $set: { pendingSince: past } });
    await reconcile(service.app);

    assert.deepEqual(between, [fixture.owner.id]);
    assert.deepEqual((await owners(fixture)).counted, [fixture.owner.id, second.id].sort());
    assert.equal((await tenants.find(fixture.org.id))!.pendingSince, undefined);
    assert.equal((await remove(fixture, fixture.owner, fixture.owner)).status, 200);
  });
});

describe("a change of role that was interrupted", () => {
  it("is completed if a member was just being made an owner", async () => {
    const fixture = await makeFixture(service);
    const second = await fixture.join("admin");
    const { memberships } = service.app.storage;
    const row = (await memberships.find(fixture.org.id, second.id))!;
    const now = new Date();
    const set = { role: "owner", enlisting: now, pendingSince: now };
    await memberships.change(row._id, { revision: row.revision, set });

    const meanwhile = await giveRole(fixture, fixture.owner, second, "member");
    const past = new Date(Date.now() - 60_000);
    await service.app.storage.database.raw
      .collection("memberships")
      .updateOne({ _id: row._id as never }, { $set: { pendingSince: past, enlisting: past } });
    await reconcile(service.app);

    assert.equal(meanwhile.code, "conflict");
    assert.deepEqual((await owners(fixture)).counted, [fixture.owner.id, second.id].sort());
    assert.equal((await giveRole(fixture, fixture.owner, second, "member")).status, 200);
  });
});

describe("ids of another organization", () => {
  it("are not found by any request", async () => {
    const [here, there] = [await makeFixture(service), await makeFixture(service)];
    const stranger = await there.join("member");
    const [team, role] = [await there.newTeam("Theirs"), await there.newRole("Theirs", { skill: ["read"] })];
    const own = await here.join("member");
    const ownTeam = await here.newTeam("Ours");

    const calls: [string, string, unknown?][] = [
      ["PATCH", `/members/${stranger.id}`, { role: "viewer" }],
      ["PATCH", `/members/${own.id}`, { role }],
      ["DELETE", `/members/${stranger.id}`],
      ["GET", `/teams/${team}`],
      ["PATCH", `/teams/${team}`, { name: "Mine" }],
      ["DELETE", `/teams/${team}`],
      ["GET", `/teams/${team}/members`],
      ["PUT", `/teams/${team}/members/${own.id}`],
      ["PUT", `/teams/${ownTeam}/members/${stranger.id}`],
      ["DELETE", `/teams/${ownTeam}/members/${stranger.id}`],
      ["PATCH", `/teams/${ownTeam}`, { roles: [role] }],
      ["POST", "/teams", { name: "With theirs", roles: [role] }],
      ["PATCH", `/roles/${role}`, { name: "Mine" }],
      ["DELETE", `/roles/${role}`],
    ];
    for (const [method, path, body] of calls) {
      const answer = await here.at(here.owner, method, path, body);
      assert.deepEqual([answer.status, answer.code], [404, "not_found"], `${method} ${path}`);
      const unknown = await there.at(here.owner, method, path, body);
      assert.equal(unknown.status, 404, `${method} ${path} over there`);
    }
  });
});
