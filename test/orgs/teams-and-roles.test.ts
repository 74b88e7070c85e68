import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { RolePayload, TeamPayload } from "../../contract/payloads/organizations/organizations.ts";
import { builtInRoles, type FolderLevel } from "../../contract/vocabulary.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { newFolder, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { makeFixture, type Fixture, setUpFixtures } from "./fixture.ts";

let fixture: Fixture;
const { service, clock } = await setUpFixtures((made) => (fixture = made));

const put = (team: string, user: TestUser, by = fixture.owner) =>
  fixture.at(by, "PUT", `/teams/${team}/members/${user.id}`);

describe("a team", () => {
  it("gives its members the permissions of its roles, as long as they are in it and it has them", async () => {
    const viewer = await fixture.join("viewer");
    const role = await fixture.newRole("Publisher", { skill: ["create"], auditLog: ["read"] });
    const team = await fixture.newTeam("Publishers", [role]);
    const may = async () => {
      const { skill = [], auditLog = [] } = await fixture.permissionsOf(viewer);
      return [skill.includes("create"), auditLog.includes("read")];
    };

    assert.deepEqual(await may(), [false, false]);
    assert.equal((await put(team, viewer)).status, 200);
    assert.deepEqual(await may(), [true, true]);
    await fixture.at(fixture.owner, "PATCH", `/roles/${role}`, { permissions: { skill: ["create"] } });
    assert.deepEqual(await may(), [true, false]);
    await fixture.at(fixture.owner, "PATCH", `/teams/${team}`, { roles: [] });
    assert.deepEqual(await may(), [false, false]);
    await fixture.at(fixture.owner, "PATCH", `/teams/${team}`, { roles: ["admin"] });
    assert.deepEqual(await may(), [true, true]);
    assert.equal((await fixture.at(fixture.owner, "DELETE", `/teams/${team}`)).status, 200);
    assert.deepEqual(await may(), [false, false]);
  });

  it("is removed from everything that refers to it, by its job or by reconciling", async () => {
    const member = await fixture.join("member");
    for (const clean of [() => fixture.cleanUp(), () => reconcile(service.app)]) {
      const team = await fixture.newTeam("Passing");
      await put(team, member);
      await fixture.invite(fixture.owner, "passing@example.org", { teamIds: [team] });
      const folder = await fixture.at<{ folder: { id: string } }>(fixture.owner, "POST", "/folders", {
        path: `for-${clock.aheadMs}`,
      });
      await service.call("PUT", `/api/folders/${folder.data.folder.id}/access`, {
        token: fixture.owner.token,
        body: { restricted: true, grants: [{ principal: { type: "team", id: team }, level: "viewer" }] },
      });
      await fixture.at(fixture.owner, "DELETE", `/teams/${team}`);
      await service.settled();

      clock.aheadMs += 60_000;
      await clean();

      const { raw } = service.app.storage.database;
      for (const name of ["memberships", "invitations", "folders", "teams"]) {
        const rows = await raw.collection(name).find().toArray();
        assert.ok(!JSON.stringify(rows.map((row) => ({ ...row, outbox: [] }))).includes(team), name);
      }
      const events = await fixture.events();
      assert.ok(events.includes("team.deleted") && events.includes("team.member_added"));
    }
  });

  it("can be changed only by those who have the permissions of its roles", async () => {
    const [admin, member] = [await fixture.join("admin"), await fixture.join("member")];
    const lead = await fixture.join(
      await fixture.newRole("Lead", { member: ["read"], team: ["create", "update", "delete"] }),
    );
    const [strong, plain] = [await fixture.newTeam("Strong", ["admin"]), await fixture.newTeam("Plain")];

    const cases: [TestUser, string, string, unknown, string | undefined][] = [
      [lead, "PUT", `/teams/${strong}/members/${lead.id}`, undefined, "forbidden"],
      [lead, "PUT", `/teams/${plain}/members/${lead.id}`, undefined, undefined],
      [lead, "PATCH", `/teams/${plain}`, { roles: ["viewer"] }, "forbidden"],
      [lead, "PATCH", `/teams/${strong}`, { roles: [] }, "forbidden"],
      [lead, "DELETE", `/teams/${strong}`, undefined, "forbidden"],
      [lead, "POST", "/teams", { name: "Mine", roles: ["member"] }, "forbidden"],
      [lead, "POST", "/teams", { name: "Mine" }, undefined],
      [member, "PUT", `/teams/${plain}/members/${member.id}`, undefined, "forbidden"],
      [admin, "PUT", `/teams/${strong}/members/${member.id}`, undefined, undefined],
      [admin, "DELETE", `/teams/${strong}/members/${member.id}`, undefined, undefined],
      [admin, "DELETE", `/teams/${strong}/members/${member.id}`, undefined, "not_found"],
      [fixture.owner, "POST", "/teams", { name: "Owners", roles: ["owner"] }, "invalid_request"],
      [fixture.owner, "POST", "/teams", { name: "Ghosts", roles: ["ghost"] }, "not_found"],
    ];
    for (const [by, method, path, body, code] of cases) {
      const answer = await fixture.at(by, method, path, body);
      assert.equal(answer.code, code, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    }
  });

  it("with grants on restricted folders gets permissions by its roles only from callers with the same access", async () => {
    const held = { role: ["update"], skill: ["read", "update"], analytics: ["read"] };
    const lead = await fixture.join(await fixture.newRole("Role lead", held));
    const role = await fixture.newRole("Vault readers", { skill: ["read"] });
    const team = await fixture.newTeam("Vault team", [role]);
    const folder = await newFolder(service, fixture.org, fixture.owner, "role vault");
    const restrictTo = (...grants: { type: "team" | "member"; id: string; level: FolderLevel }[]) =>
      restrict(service, fixture.owner, folder.id, grants);
    const change = (permissions: object) => fixture.at(lead, "PATCH", `/roles/${role}`, { permissions });
    const ofTeam = { type: "team", id: team, level: "editor" } as const;

    await restrictTo(ofTeam);
    const refused = await change({ skill: ["read", "update"] });
    const narrowed = await change({});
    await restrictTo(ofTeam, { type: "member", id: lead.id, level: "editor" });
    const extended = await change({ skill: ["read", "update"] });

    assert.deepEqual([refused.status, refused.code], [403, "forbidden"], JSON.stringify(refused.body));
    assert.doesNotMatch(refused.error!, /role vault/);
    assert.deepEqual([narrowed.status, extended.status], [200, 200], JSON.stringify(extended.body));
  });

  it("with grants on restricted folders gets members only from callers with the same access", async () => {
    const writing = { skill: ["read", "create", "update"], folder: ["create", "update"] };
    const lead = await fixture.join(
      await fixture.newRole("Lead", { member: ["read", "invite"], team: ["update"], ...writing }),
    );
    const team = await fixture.newTeam("Vault");
    const role = await fixture.newRole("Writer", { skill: ["update"] });
    const guest = await service.newUser();
    const folder = await newFolder(service, fixture.org, fixture.owner, "vault");
    const grants = (level: FolderLevel | undefined) =>
      restrict(service, fixture.owner, folder.id, [
        { type: "team", id: team, level: "editor" },
        ...(level ? [{ type: "member" as const, id: lead.id, level }] : []),
      ]);
    const acts = async () => [
      (await put(team, lead, lead)).code,
      (await fixture.at(lead, "PATCH", `/teams/${team}`, { roles: [role] })).code,
      (
        await fixture.at(lead, "POST", "/invitations", {
          email: `${guest.username}@example.com`,
          role: await emptyRole,
          teamIds: [team],
        })
      ).code,
    ];
    const emptyRole = fixture.newRole("Nothing", {});
    const read = async () =>
      (await service.call("GET", `/api/folders/${folder.id}`, { token: lead.token })).status;

    for (const level of [undefined, "viewer"] as const) {
      await grants(level);
      assert.deepEqual(await acts(), ["forbidden", "forbidden", "forbidden"], `${level}`);
    }
    await grants(undefined);
    const refusal = await put(team, lead, lead);
    assert.doesNotMatch(JSON.stringify(refusal.body), /vault\b/);
    assert.equal(await read(), 404);
    await grants("editor");
    assert.deepEqual(await acts(), [undefined, undefined, undefined]);
    await grants(undefined);
    const guestToken = fixture.lastInvitation(guest);
    await restrict(service, fixture.owner, folder.id, [{ type: "team", id: team, level: "manager" }]);
    assert.equal(
      (await put(team, await fixture.join("viewer"), lead)).status,
      200,
      "held by the team itself",
    );
    await fixture.at(fixture.owner, "DELETE", `/teams/${team}/members/${lead.id}`);
    const late = await service.call("POST", `/api/invitations/${await guestToken}/accept`, {
      token: guest.token,
    });
    assert.deepEqual([late.code, late.details?.["state"]], ["refused", "lapsed"], JSON.stringify(late.body));
  });

  it("has a unique name, also when several are created at once", async () => {
    const made = await Promise.all(
      ["Ops", "ops", "OPS", "ｏｐｓ", "Ops "].map((name) =>
        fixture.at<TeamPayload>(fixture.owner, "POST", "/teams", { name }),
      ),
    );
    const other = await fixture.newTeam("Other");
    const renamed = await fixture.at(fixture.owner, "PATCH", `/teams/${other}`, { name: "oPs" });
    const list = await fixture.at<TeamPayload[]>(fixture.owner, "GET", "/teams");

    assert.deepEqual(
      made.map((answer) => answer.status).toSorted((a, b) => a - b),
      [201, 409, 409, 409, 409],
    );
    assert.equal(renamed.code, "already_exists");
    assert.deepEqual(
      list.data.map((team) => team.name.toLowerCase().normalize("NFKC").trim()),
      ["ops", "other"],
    );
    await fixture.at(fixture.owner, "DELETE", `/teams/${made.find((one) => one.status === 201)!.data.id}`);
    await fixture.newTeam("Ops");
  });

  it("contains a member once, however often they are added at once, and limits the teams of a member", async () => {
    const member = await fixture.join("member");
    const team = await fixture.newTeam("Once");

    const answers = await Promise.all(Array.from({ length: 20 }, () => put(team, member)));
    const { memberships } = service.app.storage;
    const row = (await memberships.find(fixture.org.id, member.id))!;
    await service.app.storage.database.raw
      .collection("memberships")
      .updateOne(
        { _id: row._id as never },
        { $set: { teamIds: Array.from({ length: limits.teamsPerMember }, () => service.app.newId()) } },
      );
    const full = await put(team, member);

    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
    assert.deepEqual(row.teamIds, [team]);
    const events = await fixture.events();
    assert.equal(events.filter((name) => name === "team.member_added").length, 1);
    assert.equal(full.code, "limit_reached");
  });
});

describe("a custom role", () => {
  it("is listed with the built-in ones, and has the permissions it is given", async () => {
    const id = await fixture.newRole("Release manager", { skill: ["read", "read", "delete"], folder: [] });
    const holder = await fixture.join(id);

    const list = await fixture.at<RolePayload[]>(fixture.owner, "GET", "/roles");

    assert.deepEqual(
      list.data.map((role) => [role.id, role.isBuiltIn]),
      [...builtInRoles.map((name) => [name, true]), [id, false]],
    );
    assert.deepEqual(list.data.at(-1)!.permissions, { skill: ["read", "delete"] });
    assert.deepEqual(await fixture.permissionsOf(holder), { skill: ["read", "delete"] });
  });

  it("can't include an owner's permissions, nor unknown ones", async () => {
    for (const permissions of [
      { sso: ["manage"] },
      { scim: ["manage"] },
      { organization: ["delete"] },
      { organization: ["update", "delete"] },
      { skill: ["fly"] },
      { rockets: ["launch"] },
      { __proto__: ["x"], skill: "read" },
      [],
    ]) {
      const made = await fixture.at(fixture.owner, "POST", "/roles", { name: "Sly", permissions });
      assert.equal(made.code, "invalid_request", JSON.stringify(permissions));
    }
    for (const name of ["owner", "ADMIN", "", "x".repeat(limits.roleName + 1)]) {
      const made = await fixture.at(fixture.owner, "POST", "/roles", { name, permissions: {} });
      assert.equal(made.code, "invalid_request", name);
    }
  });

  it("can be created and changed only by those who have all its permissions", async () => {
    const admin = await fixture.join("admin");
    const keeper = await fixture.join(
      await fixture.newRole("Keeper", {
        role: ["create", "update", "delete"],
        member: ["read"],
        skill: ["read"],
      }),
    );
    const strong = await fixture.newRole("Strong", { auditLog: ["read"] });
    const cases: [TestUser, string, string, unknown, string | undefined][] = [
      [keeper, "POST", "/roles", { name: "Reader", permissions: { skill: ["read"] } }, undefined],
      [keeper, "POST", "/roles", { name: "Spy", permissions: { auditLog: ["read"] } }, "forbidden"],
      [keeper, "PATCH", `/roles/${strong}`, { permissions: { skill: ["read"] } }, "forbidden"],
      [keeper, "PATCH", `/roles/${strong}`, { name: "Weak" }, "forbidden"],
      [keeper, "DELETE", `/roles/${strong}`, undefined, "forbidden"],
      [admin, "POST", "/roles", { name: "Operator", permissions: { organization: ["update"] } }, undefined],
      [admin, "PATCH", `/roles/${strong}`, { permissions: { skill: ["read"] } }, undefined],
      [keeper, "PATCH", `/roles/${strong}`, { permissions: { apiToken: ["manage"] } }, "forbidden"],
      [keeper, "DELETE", `/roles/${strong}`, undefined, undefined],
      [keeper, "DELETE", `/roles/${strong}`, undefined, "not_found"],
    ];
    for (const [by, method, path, body, code] of cases) {
      const answer = await fixture.at(by, method, path, body);
      assert.equal(answer.code, code, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    }
  });

  it("can't be deleted while a member has it, and the error names them", async () => {
    const id = await fixture.newRole("Used", { skill: ["read"] });
    const member = await fixture.join(id);
    const team = await fixture.newTeam("Users", [id]);
    const { id: invitation } = await fixture.invite(fixture.owner, "used@example.org", { role: id });

    const refused = await fixture.at(fixture.owner, "DELETE", `/roles/${id}`);
    await fixture.at(fixture.owner, "PATCH", `/members/${member.id}`, { role: "viewer" });
    await fixture.at(fixture.owner, "DELETE", `/teams/${team}`);
    const still = await fixture.at(fixture.owner, "DELETE", `/roles/${id}`);
    await fixture.at(fixture.owner, "DELETE", `/invitations/${invitation}`);
    const deleted = await fixture.at(fixture.owner, "DELETE", `/roles/${id}`);

    assert.deepEqual([refused.status, refused.code], [422, "refused"]);
    assert.deepEqual(refused.details!["usedBy"], {
      members: [{ userId: member.id, username: member.username }],
      teams: [{ id: team, name: "Users" }],
      invitations: [{ id: invitation, email: "used@example.org" }],
    });
    assert.deepEqual([still.code, deleted.status], ["refused", 200]);
    await service.settled();
    await purge(service.app);
    assert.equal(
      await service.app.storage.database.raw.collection("roles").countDocuments({ name: "Used" }),
      0,
    );
    assert.ok((await fixture.events()).includes("role.deleted"));
  });

  it("gives no permissions once it is deleted, even to members who still have it", async () => {
    const holder = await fixture.join(service.app.newId());
    const elsewhere = await makeFixture(service);
    const foreign = await fixture.join(
      await elsewhere.newRole("Foreign", { skill: ["read"], member: ["read"] }),
    );

    assert.deepEqual(await fixture.permissionsOf(holder), {});
    assert.deepEqual(await fixture.permissionsOf(foreign), {});
    assert.equal((await fixture.at(foreign, "GET", "/members")).code, "forbidden");
  });

  it("applies concurrent changes one at a time", async () => {
    const id = await fixture.newRole("Busy", { skill: ["read"] });

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        fixture.at<RolePayload>(fixture.owner, "PATCH", `/roles/${id}`, {
          name: `Busy ${i}`,
          permissions: i % 2 === 0 ? { skill: ["read"] } : { folder: ["create"] },
        }),
      ),
    );

    const done = answers.filter((answer) => answer.status === 200);
    assert.ok(done.length > 0);
    for (const answer of answers.filter((one) => one.status !== 200)) assert.equal(answer.code, "conflict");
    const updates = (await fixture.events()).filter((name) => name === "role.updated");
    assert.equal(updates.length, done.length);
  });
});
