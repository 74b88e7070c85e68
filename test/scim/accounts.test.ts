import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ScimStatePayload, ScimTokenPayload } from "../../contract/payloads/accounts/scim.ts";
import { createMembership } from "../../src/orgs/members/create-membership.ts";
import { confirmAddress, newMember } from "../support/organization.ts";
import { afterLeaving, loseDomain, moveDomain, setUpScim, patchOp, providerOf } from "./fixture.ts";

const { service, clock, provider } = await setUpScim(null);

const base = () => `/api/tenants/${provider.org.id}/scim`;
const active = (value: boolean) => patchOp({ op: "replace", value: { active: value } });
const memberOf = (userId: string) => service.app.storage.memberships.find(provider.org.id, userId);
const bodyOf = (username: string) => ({
  userName: `${username}@example.com`,
  emails: [{ value: `${username}@example.com` }],
});

describe("an account of another person", () => {
  it("is invited, and becomes a member with its groups when it accepts", async () => {
    const stranger = await service.newUser();
    await confirmAddress(service, stranger);
    const user = await provider.ok("POST", "/Users", bodyOf(stranger.username));
    const group = await provider.ok("POST", "/Groups", {
      displayName: "Invited",
      members: [{ value: user.id }],
    });
    assert.equal(await memberOf(stranger.id), null);
    const state = await service.call<ScimStatePayload>("GET", base(), { token: provider.owner.token });
    assert.equal(state.data.users.invited, 1);

    const invitation = await service.app.storage.invitations.findPending(
      provider.org.id,
      `${stranger.username}@example.com`,
    );
    const accepted = await service.call("POST", `/api/invitations/${invitation!._id}/accept`, {
      token: stranger.token,
    });
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));

    assert.deepEqual((await memberOf(stranger.id))?.teamIds, [group.id]);
    await provider.ok("PATCH", `/Users/${user.id}`, active(false));
    assert.equal(await memberOf(stranger.id), null);
    assert.equal(
      (await service.call("GET", "/api/user/profile", { token: stranger.token })).status,
      200,
      "the account stays",
    );
  });

  it("that is deleted while it joins leaves no membership", async () => {
    const { newId, now, storage } = service.app;
    const deleted = { ...(await storage.users.find(provider.owner.id))!, _id: newId() };
    const member = { id: newId(), tenantId: provider.org.id, userId: deleted._id, role: "member" };
    const joining = { ...member, teamIds: [], createdAt: now() };
    await createMembership(service.app, joining, { account: deleted });
    assert.equal(await memberOf(deleted._id), null);
    assert.deepEqual(await storage.memberships.listOfUser(deleted._id), []);
  });

  it("loses its open invitation when the user is deactivated", async () => {
    const stranger = await service.newUser();
    const user = await provider.ok("POST", "/Users", bodyOf(stranger.username));
    await provider.ok("PATCH", `/Users/${user.id}`, active(false));
    const key = `${stranger.username}@example.com`;
    assert.equal(await service.app.storage.invitations.findPending(provider.org.id, key), null);
  });

  it("joins at once in a verified domain, if its address is confirmed", async () => {
    const { storage } = service.app;
    const confirmed = await service.newUser();
    const unconfirmed = await service.newUser();
    await confirmAddress(service, confirmed);
    await moveDomain(service, provider.org, "example.com");
    await provider.ok("POST", "/Users", bodyOf(confirmed.username));
    await provider.ok("POST", "/Users", bodyOf(unconfirmed.username));
    const made = await provider.newUser("verified");
    await loseDomain(service, "example.com");

    assert.equal((await memberOf(confirmed.id))?.role, "member");
    assert.equal(await memberOf(unconfirmed.id), null);
    const account = await storage.users.findCredentials("verified@example.com");
    assert.ok(account?.emailVerifiedAt, `${made.id} is confirmed`);
    const signIn = await service.call("POST", "/api/auth/sign-in", {
      body: { email: "verified@example.com", password: "" },
    });
    assert.notEqual(signIn.status, 200);
    const guessed = await service.call("POST", "/api/auth/sign-in", {
      body: { email: "verified@example.com", password: "correct horse battery" },
    });
    assert.equal(guessed.code, "invalid_credentials");
  });
});

describe("a member", () => {
  it("is linked by a confirmed address only, and keeps its role when restored in a verified domain", async () => {
    const member = await newMember(service, provider.org, "admin");
    const refused = await provider.send("POST", "/Users", bodyOf(member.username));
    assert.deepEqual([refused.status, refused.body.scimType], [409, "uniqueness"]);
    await confirmAddress(service, member);
    const user = await provider.ok("POST", "/Users", bodyOf(member.username));
    assert.equal((await memberOf(member.id))?.role, "admin");
    const path = `/api/tenants/${provider.org.id}/members`;
    for (const credentials of [{ token: member.token }, { cookie: member.cookie }])
      assert.equal((await service.call("GET", path, credentials)).status, 200);

    await provider.ok("PATCH", `/Users/${user.id}`, active(false));

    for (const credentials of [{ token: member.token }, { cookie: member.cookie }])
      assert.equal((await service.call("GET", path, credentials)).code, "not_found");
    await afterLeaving(service, provider.org, member.id);
    await moveDomain(service, provider.org, "example.com");
    await provider.ok("PATCH", `/Users/${user.id}`, active(true));
    await loseDomain(service, "example.com");
    assert.equal((await memberOf(member.id))?.role, "admin");
    assert.equal((await service.call("GET", path, { token: member.token })).status, 200);
  });

  it("who leaves becomes inactive, and is invited again rather than made a member", async () => {
    const member = await newMember(service, provider.org, "member");
    await confirmAddress(service, member);
    const user = await provider.ok("POST", "/Users", bodyOf(member.username));
    const left = await service.call("DELETE", `/api/tenants/${provider.org.id}/members/${member.id}`, {
      cookie: member.cookie,
    });
    assert.equal(left.status, 200, JSON.stringify(left.body));
    await afterLeaving(service, provider.org, member.id);
    assert.equal((await provider.ok("GET", `/Users/${user.id}`))["active"], false);
    await provider.ok("PATCH", `/Users/${user.id}`, active(true));
    assert.equal(await memberOf(member.id), null);
  });

  it("who is an owner can't be deactivated or deleted", async () => {
    const { owner } = provider;
    const user = await provider.ok("POST", "/Users", bodyOf(owner.username));
    const put = { ...bodyOf(owner.username), active: false };
    for (const [method, body] of [
      ["PATCH", active(false)],
      ["PUT", put],
      ["DELETE", undefined],
    ] as const) {
      const answer = await provider.send(method, `/Users/${user.id}`, body);
      assert.deepEqual([answer.status, answer.body.scimType], [403, "mutability"], method);
    }
    assert.equal((await memberOf(owner.id))?.role, "owner");
  });
});

describe("an existing team", () => {
  it("is managed only after an owner has asked for it, and is neither renamed nor deleted", async () => {
    const { owner, org } = provider;
    await moveDomain(service, org, "example.com");
    const made = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
      token: owner.token,
      body: { name: "Operators", roles: ["admin"] },
    });
    const { id } = made.data;
    const refused = await provider.send("POST", "/Groups", { displayName: "operators" });
    assert.deepEqual([refused.status, refused.body.scimType], [409, "uniqueness"]);
    const asked = await service.call("POST", `${base()}/teams`, {
      cookie: owner.cookie,
      body: { teamId: id },
    });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    const user = await provider.newUser("operator");
    const add = patchOp({ op: "add", path: "members", value: [{ value: user.id }] });
    await provider.ok("PATCH", `/Groups/${id}`, add);
    await provider.ok(
      "PATCH",
      `/Groups/${id}`,
      patchOp({ op: "replace", value: { displayName: "Renamed" } }),
    );
    const teamIds = async () =>
      (await provider.members()).find(({ username }) => username === "operator")?.teamIds;
    assert.deepEqual(await teamIds(), [id]);
    await provider.send("DELETE", `/Groups/${id}`);
    assert.deepEqual(await teamIds(), []);
    assert.equal((await service.app.storage.teams.find(org.id, id))?.name, "Operators");
  });
});

describe("the token", () => {
  it("is shown once, stays valid for a day after a rotation, and ends with SCIM", async () => {
    const { owner, org } = provider;
    const admin = await newMember(service, org, "admin");
    for (const [method, path] of [
      ["GET", base()],
      ["POST", base()],
      ["POST", `${base()}/rotate`],
      ["GET", `${base()}/log`],
      ["DELETE", base()],
    ] as const)
      assert.equal((await service.call(method, path, { cookie: admin.cookie })).code, "forbidden", path);
    const state = await service.call<ScimStatePayload>("GET", base(), { token: owner.token });
    assert.ok(!JSON.stringify(state.body).includes("lsks_"));
    assert.equal((await service.call("POST", base(), { cookie: owner.cookie })).code, "conflict");

    const rotated = await service.call<ScimTokenPayload>("POST", `${base()}/rotate`, {
      cookie: owner.cookie,
    });
    const renewed = providerOf(service, org, owner, rotated.data);
    await renewed.ok("GET", "/Users?count=0");
    await provider.ok("GET", "/Users?count=0");
    clock.aheadMs += 24 * 3_600_000 + 1000;
    assert.equal((await provider.send("GET", "/Users")).status, 401);
    assert.equal(
      (await service.call("DELETE", base(), { cookie: owner.cookie })).code,
      "reauthentication_required",
    );
    const log = await renewed.log();
    assert.equal(log[0]?.status, 401);
    assert.match(log[0].detail ?? "", /not valid/);
    assert.ok(log.some(({ outcome, subject }) => outcome === "refused" && subject?.name === "operators"));
    assert.ok(log.some(({ changes }) => changes?.includes("active: true → false")));
    assert.ok(!JSON.stringify(log).includes("lsks_"));

    clock.aheadMs -= 24 * 3_600_000 + 1000;
    const ended = await service.call("DELETE", base(), { cookie: owner.cookie });
    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    assert.equal((await renewed.send("GET", "/Users")).status, 401);
    const again = await service.call<ScimTokenPayload>("POST", base(), { cookie: owner.cookie });
    assert.equal(again.data.baseUrl, rotated.data.baseUrl);
  });
});
