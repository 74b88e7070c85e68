import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { MemberPayload } from "../../contract/payloads/organizations.ts";
import { releaseOwner } from "../../src/orgs/owners.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { startService, type Answer, type TestService, type TestUser } from "../support/service.ts";
import { makeWorld, type World } from "./world.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const remove = (world: World, by: TestUser, whom: TestUser) => world.at(by, "DELETE", `/members/${whom.id}`);
const giveRole = (world: World, by: TestUser, whom: TestUser, role: string) =>
  world.at<MemberPayload>(by, "PATCH", `/members/${whom.id}`, { role });

/** Owners by their memberships, and the owners that the tenant counts. */
async function owners(world: World): Promise<{ real: string[]; counted: string[] }> {
  await service.settled();
  const { tenants, memberships } = service.app.storage;
  const rows = await memberships.listWithRole(world.org.id, "owner", 100);
  const tenant = await tenants.find(world.org.id);
  return { real: rows.map((row) => row.userId).sort(), counted: tenant!.ownerIds.toSorted() };
}

describe("the list of members", () => {
  it("pages by user name, and searches by prefix", async () => {
    const world = await makeWorld(service);
    for (const name of ["list-c", "list-a", "list-b"]) await world.join("member", name);
    const named = await world.join("viewer", "list-z");
    await service.call("PATCH", "/api/user/profile", {
      token: named.token,
      body: { name: "Ada Byron King" },
    });

    const names: string[] = [];
    let cursor: string | null | undefined = "";
    while (cursor !== null) {
      const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: Answer<MemberPayload[]> = await world.at<MemberPayload[]>(
        world.owner,
        "GET",
        `/members?limit=2${at}`,
      );
      names.push(...page.data.map((member) => member.username));
      cursor = page.nextCursor;
    }
    const found = async (query: string) =>
      (await world.at<MemberPayload[]>(world.owner, "GET", `/members?query=${query}`)).data.map(
        (member) => member.username,
      );

    assert.deepEqual(names, names.toSorted());
    assert.equal(names.length, 5);
    assert.deepEqual(await found("list-"), ["list-a", "list-b", "list-c", "list-z"]);
    assert.deepEqual(await found("BYR"), ["list-z"]);
    assert.deepEqual(await found("byron%20k"), ["list-z"]);
    assert.deepEqual(await found(".*"), []);
  });

  it("shows addresses to those who may change members, and nothing to those who may not read them", async () => {
    const world = await makeWorld(service);
    const [member, viewer, stranger] = [
      await world.join("member"),
      await world.join("viewer"),
      await service.newUser(),
    ];

    const seen = async (user: TestUser) => world.at<MemberPayload[]>(user, "GET", "/members");

    assert.ok((await seen(world.owner)).data.every((one) => one.email?.endsWith("@example.com")));
    assert.ok((await seen(member)).data.every((one) => one.email === undefined));
    assert.equal((await seen(viewer)).code, "forbidden");
    assert.equal((await seen(stranger)).code, "not_found");
  });
});

describe("a change of role", () => {
  it("takes effect with the next call, and is audited once", async () => {
    const world = await makeWorld(service);
    const user = await world.join("viewer");

    const earlier = await world.permissionsOf(user);
    const changed = await giveRole(world, world.owner, user, "admin");
    const same = await giveRole(world, world.owner, user, "admin");
    const later = await world.permissionsOf(user);

    assert.equal(earlier["member"], undefined);
    assert.deepEqual([changed.data.role, same.status], ["admin", 200]);
    assert.ok(later["member"]!.includes("update"));
    const events = await world.events();
    assert.equal(events.filter((name) => name === "organization.member_role_updated").length, 1);
  });

  it("gives no permission that the caller lacks, and is refused for members who have more", async () => {
    const world = await makeWorld(service);
    const [admin, other, member] = [
      await world.join("admin"),
      await world.join("admin"),
      await world.join("member"),
    ];
    const strong = await world.newRole("Auditor", {
      auditLog: ["read"],
      member: ["read", "update", "remove"],
    });
    const auditor = await world.join(strong);

    const cases: [TestUser, TestUser, string, string | undefined][] = [
      [admin, member, "owner", "forbidden"],
      [admin, world.owner, "member", "forbidden"],
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
      const answer = await giveRole(world, by, whom, role);
      assert.equal(answer.code, code, `${by.username} → ${role}: ${JSON.stringify(answer.body)}`);
    }
    const refused = await remove(world, admin, world.owner);
    assert.equal(refused.code, "forbidden");
    assert.ok((refused.details!["missing"] as string[]).includes("sso:manage"));
  });

  it("includes the permissions of the caller's teams", async () => {
    const world = await makeWorld(service);
    const manager = await world.newRole("People", { member: ["read", "update", "remove"] });
    const [keeper, member] = [await world.join(manager), await world.join(manager)];
    const team = await world.newTeam("Operators", ["admin"]);
    await world.at(world.owner, "PUT", `/teams/${team}/members/${member.id}`);

    assert.equal((await remove(world, keeper, member)).code, "forbidden");
    await world.at(world.owner, "DELETE", `/teams/${team}/members/${member.id}`);
    assert.equal((await remove(world, keeper, member)).status, 200);
  });
});

describe("the end of a membership", () => {
  it("removes all access with the next call, and lets the person rejoin once it is cleaned up", async () => {
    const world = await makeWorld(service);
    const user = await world.join("member");
    const team = await world.newTeam("Short-lived");
    await world.at(world.owner, "PUT", `/teams/${team}/members/${user.id}`);

    const removed = await remove(world, world.owner, user);
    const seen = await world.at(user, "GET", "");
    const again = await remove(world, world.owner, user);
    await world.cleanUp();
    await world.add(user, "viewer");

    assert.deepEqual([removed.status, seen.code, again.code], [200, "not_found", "not_found"]);
    assert.deepEqual((await world.memberOf(user))?.teamIds, []);
    assert.ok((await world.events()).includes("organization.member_removed"));
  });

  it("is open to every member for themselves, except by a narrowed token", async () => {
    const world = await makeWorld(service);
    const user = await world.join("viewer");
    const narrow = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: user.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });

    const byToken = await remove(world, { ...user, token: narrow.data.token }, user);
    const left = await remove(world, user, user);

    assert.deepEqual([byToken.code, left.status], ["forbidden", 200]);
    assert.ok((await world.events()).includes("organization.member_left"));
  });

  it("is refused to the last owner, by every request", async () => {
    const world = await makeWorld(service);
    await world.join("admin");

    const answers = [
      await remove(world, world.owner, world.owner),
      await giveRole(world, world.owner, world.owner, "admin"),
    ];

    for (const answer of answers) assert.deepEqual([answer.status, answer.code], [422, "last_owner"]);
    assert.deepEqual(await owners(world), { real: [world.owner.id], counted: [world.owner.id] });
  });

  it("leaves exactly one owner when many leave at once", async () => {
    for (const round of [2, 6]) {
      const world = await makeWorld(service);
      const people = [world.owner];
      for (let i = 1; i < round; i++) people.push(await world.join("owner"));

      const answers = await Promise.all(
        people.map((one, at) =>
          at % 2 === 0 ? remove(world, one, one) : giveRole(world, one, one, "member"),
        ),
      );

      const { real, counted } = await owners(world);
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
    const world = await makeWorld(service);
    const people = [world.owner];
    for (let i = 0; i < 3; i++) people.push(await world.join("owner"));

    for (let round = 0; round < 3; round++) {
      const [lead] = (await owners(world)).real;
      const by = people.find((one) => one.id === lead)!;
      await Promise.all(
        people.flatMap((one) => [
          giveRole(world, by, one, "admin"),
          giveRole(world, by, one, "owner"),
          giveRole(world, one, one, "member"),
        ]),
      );
      const { real, counted } = await owners(world);
      assert.ok(real.length > 0);
      assert.ok(counted.length > 0);
      assert.ok(
        counted.every((id) => real.includes(id)),
        `${counted.join()} of ${real.join()}`,
      );
    }
  });

  it("counts an owner again who was left uncounted by a crash", async () => {
    const world = await makeWorld(service);
    const second = await world.join("owner");
    const { memberships, tenants } = service.app.storage;
    await releaseOwner(service.app, (await memberships.find(world.org.id, second.id))!);
    await service.settled();
    const between = (await owners(world)).counted;

    const past = new Date(Date.now() - 60_000);
    await service.app.storage.database.raw
      .collection("tenants")
      .updateOne({ _id: world.org.id as never }, { $set: { unsettledAt: past } });
    await reconcile(service.app);

    assert.deepEqual(between, [world.owner.id]);
    assert.deepEqual((await owners(world)).counted, [world.owner.id, second.id].sort());
    assert.equal((await tenants.find(world.org.id))!.unsettledAt, undefined);
    assert.equal((await remove(world, world.owner, world.owner)).status, 200);
  });
});

describe("a change of role that was interrupted", () => {
  it("is completed if a member was just being made an owner", async () => {
    const world = await makeWorld(service);
    const second = await world.join("admin");
    const { memberships } = service.app.storage;
    const row = (await memberships.find(world.org.id, second.id))!;
    await memberships.change(row._id, row.revision, { role: "owner", enlisting: new Date() }, []);

    const meanwhile = await giveRole(world, world.owner, second, "member");
    const past = new Date(Date.now() - 60_000);
    await service.app.storage.database.raw
      .collection("memberships")
      .updateOne({ _id: row._id as never }, { $set: { unsettledAt: past, enlisting: past } });
    await reconcile(service.app);

    assert.equal(meanwhile.code, "conflict");
    assert.deepEqual((await owners(world)).counted, [world.owner.id, second.id].sort());
    assert.equal((await giveRole(world, world.owner, second, "member")).status, 200);
  });
});

describe("ids of another organization", () => {
  it("are not found by any request", async () => {
    const [here, there] = [await makeWorld(service), await makeWorld(service)];
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
