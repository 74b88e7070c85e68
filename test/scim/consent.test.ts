/** Provisioning without a verified domain: no one becomes a member, and nothing is reserved, before they accept. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { ScimStatePayload, ScimUserPayload } from "../../contract/payloads/accounts/scim.ts";
import { createInvitedMembership } from "../../src/orgs/invitations/membership.ts";
import { removeMember } from "../../src/orgs/members/leave.ts";
import { admitInvited } from "../../src/scim/users/admit.ts";
import { applyUser } from "../../src/scim/users/apply.ts";
import { reconcileScim } from "../../workers/orgs/reconcile-scim.ts";
import { confirmAddress } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { afterLeaving, loseDomain, moveDomain, setUpScim, patchOp, type Json } from "./fixture.ts";

const { service, clock, provider } = await setUpScim(null);

const extension = "urn:ietf:params:scim:schemas:extension:membership:2.0:User";
const active = (value: unknown) => patchOp({ op: "Replace", path: "active", value });
const addressOf = (name: string) => `${name}@example.com`;
const bodyOf = (name: string): Json => ({ userName: addressOf(name), emails: [{ value: addressOf(name) }] });
const memberOf = (userId: string) => service.app.storage.memberships.find(provider.org.id, userId);
const accountOf = (name: string) => service.app.storage.users.findCredentials(addressOf(name));
const invitationOf = (name: string) =>
  service.app.storage.invitations.findPending(provider.org.id, addressOf(name));
const stateOf = (user: Json) => (user[extension] as { state: string } | undefined)?.state;
const reasonOf = (user: Json) => (user[extension] as { reason: string } | undefined)?.reason ?? "";
const read = (id: string) => provider.ok("GET", `/Users/${id}`);

async function answer(person: TestUser, how: "accept" | "decline") {
  const { _id } = (await invitationOf(person.username))!;
  return service.call("POST", `/api/invitations/${_id}/${how}`, { cookie: person.cookie });
}

async function confirmed(): Promise<TestUser> {
  const person = await service.newUser();
  await confirmAddress(service, person);
  return person;
}

describe("an address without an account", () => {
  it("is invited, and stays free to sign up", async () => {
    const user = await provider.ok("POST", "/Users", bodyOf("newcomer"));

    assert.equal(user["active"], false);
    assert.ok((user["schemas"] as string[]).includes(extension));
    assert.match(reasonOf(user), /has not verified the domain example\.com/);
    assert.deepEqual(
      [await accountOf("newcomer"), await provider.members()],
      [null, (await provider.members()).filter(({ role }) => role === "owner")],
    );
    assert.ok(await invitationOf("newcomer"));
    const signUp = await service.call<{ id: string }>("POST", "/api/auth/sign-up", {
      body: {
        email: addressOf("newcomer"),
        username: "newcomer",
        name: "New Comer",
        password: "correct horse battery",
      },
    });
    assert.ok(signUp.status < 300, JSON.stringify(signUp.body));
    const { _id } = (await accountOf("newcomer"))!;
    assert.deepEqual(await service.app.storage.memberships.listOfUser(_id), []);
    await service.app.storage.users.markVerified(_id, addressOf("newcomer"), new Date());
    await provider.ok("PATCH", `/Users/${user.id}`, active(true));
    assert.equal(await memberOf(_id), null, "neither once it was confirmed");
  });

  it("is reported with the reason in log, lists, filters and state", async () => {
    const user = await provider.ok("POST", "/Users", bodyOf("reported"));
    const [entry] = await provider.log();
    assert.deepEqual([entry?.changes, entry?.outcome], [["invited"], "changed"]);
    assert.match(entry?.detail ?? "", /has not verified the domain example\.com/);
    const again = await provider.ok("PATCH", `/Users/${user.id}`, active("True"));
    assert.deepEqual([again["active"], again["meta"]], [false, user["meta"]]);
    assert.match((await provider.log())[0]?.detail ?? "", /has not verified the domain/);

    const found = async (filter: string) => {
      const query = encodeURIComponent(`userName eq "${addressOf("reported")}" and ${filter}`);
      return (await provider.ok("GET", `/Users?filter=${query}`))["totalResults"];
    };
    assert.deepEqual([await found("active eq true"), await found("active eq false")], [0, 1]);
    const base = `/api/tenants/${provider.org.id}/scim`;
    const owner = { token: provider.owner.token };
    const listed = await service.call<ScimUserPayload[]>("GET", `${base}/users?state=invited`, owner);
    const row = listed.data.find(({ id }) => id === user.id)!;
    assert.deepEqual([row.active, row.invited, row.reason], [false, true, reasonOf(user)]);
    const inactive = await service.call<ScimUserPayload[]>("GET", `${base}/users?state=inactive`, owner);
    assert.ok(!inactive.data.some(({ id }) => id === user.id));
    const { users } = (await service.call<ScimStatePayload>("GET", base, owner)).data;
    assert.deepEqual([users.active, users.inactive, users.invited >= 2], [0, 0, true]);
    const schemas = await provider.ok("GET", `/Schemas/${extension}`);
    assert.equal(schemas["name"], "Membership");
  });

  it("says the same whether it has an account or not", async () => {
    const person = await confirmed();
    const [known, unknown] = [
      await provider.ok("POST", "/Users", bodyOf(person.username)),
      await provider.ok("POST", "/Users", bodyOf("x".repeat(person.username.length))),
    ];
    const neutral = (user: Json, name: string) => reasonOf(user).replaceAll(addressOf(name), "");
    assert.equal(neutral(known, person.username), neutral(unknown, "x".repeat(person.username.length)));
    const [second, first] = await provider.log();
    assert.deepEqual(first?.changes, second?.changes);
    const events = await provider.events("scim.user_provisioned");
    assert.equal(new Set(events.slice(0, 2).map(({ metadata }) => metadata["account"])).size, 1);
  });
});

describe("an invited person", () => {
  it("who accepts is active with the teams of the groups, and can be deactivated", async () => {
    const person = await confirmed();
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    const members = [{ value: user.id }];
    const group = await provider.ok("POST", "/Groups", { displayName: "Invited people", members });
    assert.equal(await memberOf(person.id), null);

    assert.equal((await answer(person, "accept")).status, 200);

    const now = await read(user.id);
    assert.deepEqual([now["active"], now[extension]], [true, undefined]);
    assert.ok(
      (now["meta"] as { lastModified: string }).lastModified >= (user["meta"] as { created: string }).created,
    );
    assert.deepEqual((await memberOf(person.id))?.teamIds, [group.id]);
    await provider.ok("PATCH", `/Users/${user.id}`, active(false));
    assert.equal(await memberOf(person.id), null);

    await afterLeaving(service, provider.org, person.id);
    const back = await provider.ok("PATCH", `/Users/${user.id}`, active(true));
    assert.deepEqual([back["active"], await memberOf(person.id)], [false, null], "asked again");
    assert.equal((await answer(person, "accept")).status, 200);
    assert.deepEqual((await memberOf(person.id))?.teamIds, [group.id]);
  });

  it("who declines, or whose invitation is revoked, is not asked again by repeated requests", async () => {
    const [person, other] = [await confirmed(), await confirmed()];
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    const second = await provider.ok("POST", "/Users", bodyOf(other.username));
    assert.equal((await answer(person, "decline")).status, 200);
    const { _id } = (await invitationOf(other.username))!;
    await service.call("DELETE", `/api/tenants/${provider.org.id}/invitations/${_id}`, {
      token: provider.owner.token,
    });
    for (const [id, state, name] of [
      [user.id, "declined", person.username],
      [second.id, "revoked", other.username],
    ] as const) {
      assert.equal(stateOf(await read(id)), state);
      for (const body of [active(true), patchOp({ op: "add", path: "title", value: "Asked" })])
        assert.equal(stateOf(await provider.ok("PATCH", `/Users/${id}`, body)), state);
      assert.equal(await invitationOf(name), null);
      await provider.ok("PATCH", `/Users/${id}`, active(false));
      assert.equal(stateOf(await provider.ok("PATCH", `/Users/${id}`, active(true))), "invited");
      assert.ok(await invitationOf(name));
    }
  });

  it("whose invitation has expired is invited again by a repeated request", async () => {
    const person = await confirmed();
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    const first = await invitationOf(person.username);
    clock.aheadMs += limits.invitationMs + 1000;
    await provider.ok("PATCH", `/Users/${user.id}`, active(true));
    assert.ok((await invitationOf(person.username))!.expiresAt > first!.expiresAt);
    clock.aheadMs = 0;
  });

  it("who is deactivated or deleted first can't accept any more", async () => {
    for (const remove of [
      (id: string) => provider.ok("PATCH", `/Users/${id}`, active(false)),
      (id: string) => provider.ok("PUT", `/Users/${id}`, { active: false }),
      (id: string) => provider.send("DELETE", `/Users/${id}`),
    ]) {
      const person = await confirmed();
      const user = await provider.ok("POST", "/Users", bodyOf(person.username));
      const invitation = (await invitationOf(person.username))!;
      await remove(user.id);
      assert.equal(await invitationOf(person.username), null);
      const late = await service.call("POST", `/api/invitations/${invitation._id}/accept`, {
        cookie: person.cookie,
      });
      assert.ok(late.status >= 400, JSON.stringify(late.body));
      // As if the acceptance had been written just before the deactivation.
      const accepted = { ...invitation, state: "accepted", acceptedBy: person.id } as const;
      await createInvitedMembership(service.app, accepted);
      assert.equal(await memberOf(person.id), null);
    }
  });

  it("whose address the directory changes is asked at the new one", async () => {
    const [person, other] = [await confirmed(), await confirmed()];
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    await provider.ok("PUT", `/Users/${user.id}`, bodyOf(other.username));
    assert.equal(await invitationOf(person.username), null);
    assert.equal((await answer(other, "accept")).status, 200);
    assert.deepEqual([await memberOf(person.id), (await memberOf(other.id))?.role], [null, "member"]);
  });
});

describe("a domain that is verified later", () => {
  it("makes the invited people members, except for those who have declined", async () => {
    const [person, other] = [await confirmed(), await confirmed()];
    const users = [
      await provider.ok("POST", "/Users", bodyOf(person.username)),
      await provider.ok("POST", "/Users", bodyOf(other.username)),
      await provider.ok("POST", "/Users", bodyOf("later-account")),
    ];
    await answer(other, "decline");
    await moveDomain(service, provider.org, "example.com");
    for (let run = 0; run < 2; run++) await admitInvited(service.app, { tenantId: provider.org.id });
    await loseDomain(service, "example.com");

    const states = await Promise.all(users.map(async ({ id }) => (await read(id))["active"]));
    assert.deepEqual(states, [true, false, true]);
    const joined = [person.id, (await accountOf("later-account"))!._id];
    for (const id of joined) assert.ok(await memberOf(id));
    assert.equal(await memberOf(other.id), null);
    assert.deepEqual(
      [await invitationOf(person.username), await invitationOf("later-account")],
      [null, null],
    );
  });
});

describe("a member", () => {
  it("whose address the directory changes to another one stays the same person", async () => {
    const [person, stranger] = [await confirmed(), await confirmed()];
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    await answer(person, "accept");
    await provider.ok("PUT", `/Users/${user.id}`, bodyOf(stranger.username));
    assert.ok(await memberOf(person.id));
    assert.deepEqual([await memberOf(stranger.id), await invitationOf(stranger.username)], [null, null]);
    await provider.ok("PATCH", `/Users/${user.id}`, active(false));
    await afterLeaving(service, provider.org, person.id);
    await provider.ok("PATCH", `/Users/${user.id}`, active(true));
    assert.deepEqual([await memberOf(person.id), await memberOf(stranger.id)], [null, null]);
    assert.ok(await invitationOf(stranger.username), "the address decides who is asked");
  });

  it("who leaves while the directory activates them does not come back without being asked", async () => {
    const person = await confirmed();
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    await answer(person, "accept");
    const { app } = service;
    const linked = (await app.storage.scimUsers.find(provider.org.id, user.id))!;
    const origin = { ipHash: undefined, source: "api", client: "api" } as const;
    const { loadUserActor } = await import("../../src/users/load.ts");
    const actor = (await loadUserActor(app, person.id, { kind: "session", sessionId: "" }, origin))!;
    await removeMember(app, actor, provider.org.id, person.id);

    await applyUser(app, linked);

    assert.equal(await memberOf(person.id), null);
    assert.equal((await read(user.id))["active"], false);
  });

  it("of a domain whose verification ends stays, and is asked before a return", async () => {
    await moveDomain(service, provider.org, "example.com");
    const user = await provider.newUser("verified");
    const { _id } = (await accountOf("verified"))!;
    await loseDomain(service, "example.com");
    assert.equal((await provider.ok("PATCH", `/Users/${user.id}`, active(true)))["active"], true);
    assert.ok(await memberOf(_id));
    await provider.ok("PATCH", `/Users/${user.id}`, active(false));
    await afterLeaving(service, provider.org, _id);
    assert.equal((await provider.ok("PATCH", `/Users/${user.id}`, active(true)))["active"], false);
    assert.equal(await memberOf(_id), null);
    await moveDomain(service, provider.org, "example.com");
    assert.equal((await provider.ok("PATCH", `/Users/${user.id}`, active(true)))["active"], true);
    assert.ok(await memberOf(_id));
    assert.equal(await invitationOf("verified"), null, "no invitation is left over");
    await loseDomain(service, "example.com");
  });

  it("by another way is ended by a deactivation, although the invitation was never accepted", async () => {
    const person = await confirmed();
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    await service.app.storage.memberships.insert({
      ...(await memberOf(provider.owner.id))!,
      _id: service.app.newId(),
      userId: person.id,
      role: "member",
    });
    await provider.ok("PATCH", `/Users/${user.id}`, active(false));
    assert.equal(await memberOf(person.id), null);
  });
});

describe("an account that an earlier version created without a verified domain", () => {
  /** A provisioned member as an earlier version has stored them. */
  async function provisioned(name: string) {
    await moveDomain(service, provider.org, "example.com");
    const user = await provider.newUser(name);
    const account = (await accountOf(name))!;
    await loseDomain(service, "example.com");
    const { raw } = service.app.storage.database;
    await raw
      .collection("users")
      .updateOne({ _id: account._id as never }, { $unset: { emailVerifiedAt: true } });
    await service.settled();
    return { user, id: account._id };
  }
  const upgrade = async () => {
    for (let run = 0; run < 2; run++) await reconcileScim(service.app, service.app.now());
    await service.settled();
  };

  it("and no one has used is deleted, and the address invited", async () => {
    const { user, id } = await provisioned("unused");
    await upgrade();
    assert.deepEqual([await accountOf("unused"), await memberOf(id)], [null, null]);
    assert.deepEqual([stateOf(await read(user.id)), (await read(user.id))["active"]], ["invited", false]);
    assert.ok(await invitationOf("unused"));
  });

  it("and its user was deleted since does not keep the address", async () => {
    const { user } = await provisioned("orphan");
    await provider.send("DELETE", `/Users/${user.id}`);
    await upgrade();
    assert.deepEqual([await accountOf("orphan"), await invitationOf("orphan")], [null, null]);
  });

  it("stays a member if the person has set a password, or the domain was verified since", async () => {
    const [used, own] = [await provisioned("used"), await provisioned("own")];
    const { raw } = service.app.storage.database;
    await raw
      .collection("users")
      .updateOne(
        { _id: used.id as never },
        { $set: { passwordHash: "x", emailVerifiedAt: new Date() }, $unset: { passwordless: true } },
      );
    await upgrade();
    assert.ok(await memberOf(used.id));
    assert.equal(await accountOf("own"), null);
    const later = await provisioned("later");
    await moveDomain(service, provider.org, "example.com");
    await upgrade();
    await loseDomain(service, "example.com");
    assert.ok(await memberOf(later.id));
    assert.ok((await accountOf("later"))?.emailVerifiedAt);
    assert.equal((await read(own.user.id))["active"], false);
  });

  it("and that owns an organization is left alone", async () => {
    const { id } = await provisioned("boss");
    const { raw } = service.app.storage.database;
    await raw.collection("memberships").updateOne({ userId: id }, { $set: { role: "owner" } });
    await upgrade();
    assert.equal((await memberOf(id))?.role, "owner");
  });

  it("leaves an invited user inactive, who was active before", async () => {
    const person = await confirmed();
    const user = await provider.ok("POST", "/Users", bodyOf(person.username));
    const { raw } = service.app.storage.database;
    await raw
      .collection("scim_users")
      .updateOne({ _id: user.id as never }, { $set: { active: true }, $unset: { inviteReason: true } });
    await upgrade();
    assert.deepEqual([(await read(user.id))["active"], stateOf(await read(user.id))], [false, "invited"]);
    assert.equal((await answer(person, "accept")).status, 200);
    assert.equal((await read(user.id))["active"], true);
  });
});
