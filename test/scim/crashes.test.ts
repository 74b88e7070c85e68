/**
 * Changes of the identity provider whose process ended right after the commit point: the reconcile job completes them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SsoDomainPayload } from "../../contract/payloads/accounts/sso-domains.ts";
import { makeSystemEvent } from "../../src/audit/events.ts";
import type { JobPayloads } from "../../src/queue/jobs.ts";
import { applyGroup } from "../../src/scim/groups/apply.ts";
import { outboxFields } from "../../storage/outbox.ts";
import { reconcileOrganizations } from "../../workers/orgs/reconcile-organizations.ts";
import { reconcileScim } from "../../workers/orgs/reconcile-scim.ts";
import { processors } from "../../workers/processors.ts";
import { confirmAddress } from "../support/organization.ts";
import { loseDomain, newProvider, setUpScim } from "./fixture.ts";

/** The only TXT record. */
let record = "";

const { service, provider } = await setUpScim(undefined, { resolveTxt: () => Promise.resolve([[record]]) });

/** As the next process does, twice: jobs may be repeated. */
const reconcile = async () => {
  const later = new Date(Date.now() + 60_000);
  await reconcileScim(service.app, later);
  await reconcileScim(service.app, later);
  await service.settled();
};
const accountOf = (name: string) => service.app.storage.users.findCredentials(`${name}@example.com`);
const memberOf = async (name: string) => {
  const account = await accountOf(name);
  return account && service.app.storage.memberships.find(provider.org.id, account._id);
};
const eventOf = (action: "scim.user_provisioned" | "scim.user_deprovisioned", id: string) =>
  makeSystemEvent(service.app, action, {
    tenantId: provider.org.id,
    resourceType: "user",
    resourceId: id,
    metadata: {},
  });
const recorded = async (action: string, id: string) =>
  (await provider.events(action)).filter(({ resourceId }) => resourceId === id).length;

describe("an outage of the database", () => {
  it("during the creation or renaming of a team leaves the group, which is completed later", async () => {
    const { app } = service;
    const fails = () => Promise.reject(new Error("the database is not available"));
    const down = { ...app, storage: { ...app.storage, teams: { ...app.storage.teams, findByName: fails } } };
    const tenant = (await app.storage.tenants.find(provider.org.id))!;
    const teamName = async (id: string) => (await app.storage.teams.find(tenant._id, id))?.name;
    const apply = (by: typeof app, id: string) =>
      applyGroup({ app: by, tenant, ipHash: undefined }, id, undefined);
    const { scimGroups } = app.storage;
    const { id: renamed } = await provider.ok("POST", "/Groups", { displayName: "Outage" });
    const stored = (await scimGroups.findAny(renamed))!;
    const made = app.newId();
    const fields = {
      displayName: "Made",
      displayNameKey: "made",
      createsTeam: true,
      pendingSince: app.now(),
    } as const;
    await scimGroups.insert({ ...stored, ...fields, _id: made });
    const change = { displayName: "Renamed", displayNameKey: "renamed", renamesTeam: true } as const;
    assert.ok(await scimGroups.change(renamed, stored.revision, change, app.now()));

    for (const id of [renamed, made]) await assert.rejects(apply(down, id), /not available/);
    assert.deepEqual([await teamName(renamed), await teamName(made)], ["Outage", undefined]);
    for (const id of [renamed, made]) await apply(app, id);
    assert.deepEqual([await teamName(renamed), await teamName(made)], ["Renamed", "Made"]);
  });
});

describe("a crash after the commit point", () => {
  it("of a creation leaves the account, the membership and its event to be made", async () => {
    const { app } = service;
    const id = app.newId();
    const now = app.now();
    await app.storage.scimUsers.insert({
      _id: id,
      tenantId: provider.org.id,
      userName: "crashed@example.com",
      userNameKey: "crashed@example.com",
      active: true,
      email: "crashed@example.com",
      emailKey: "crashed@example.com",
      emailKeys: ["crashed@example.com"],
      attributes: {},
      userId: app.newId(),
      createsAccount: true,
      teamIds: [],
      revision: 1,
      present: true,
      createdAt: now,
      updatedAt: now,
      ...outboxFields([eventOf("scim.user_provisioned", id)]),
    });
    assert.equal(await accountOf("crashed"), null);

    await reconcile();
    assert.equal((await memberOf("crashed"))?.role, "member");
    assert.equal(await recorded("scim.user_provisioned", id), 1);
    assert.equal((await provider.ok("GET", `/Users/${id}`))["active"], true);
  });

  it("of a deactivation leaves the membership to be ended, and its role to be kept", async () => {
    const { id } = await provider.newUser("leaver");
    const { scimUsers } = service.app.storage;
    await service.settled();
    const user = await scimUsers.find(provider.org.id, id);
    const event = eventOf("scim.user_deprovisioned", id);
    const change = {
      revision: user!.revision,
      set: { active: false },
      now: service.app.now(),
      events: [event],
    };
    assert.ok(await scimUsers.change(id, change));
    assert.ok(await memberOf("leaver"), "still a member");

    await reconcile();
    assert.equal(await memberOf("leaver"), null);
    assert.equal(await recorded("scim.user_deprovisioned", id), 1);
    assert.equal((await scimUsers.find(provider.org.id, id))?.restore?.role, "member");
  });

  it("of a deletion leaves the membership and the record to be removed", async () => {
    const { id } = await provider.newUser("deleted");
    const group = await provider.ok("POST", "/Groups", {
      displayName: "Of the deleted",
      members: [{ value: id }],
    });
    await service.settled();
    const { scimUsers, scimGroups } = service.app.storage;
    const user = await scimUsers.find(provider.org.id, id);
    const event = eventOf("scim.user_deprovisioned", id);
    assert.ok(await scimUsers.markRemoved(id, user!.revision, service.app.now(), [event]));

    await reconcile();
    assert.equal(await memberOf("deleted"), null);
    assert.equal(await scimUsers.findAny(id), null);
    assert.deepEqual((await scimGroups.find(provider.org.id, group.id))?.memberIds, []);
    assert.equal(await recorded("scim.user_deprovisioned", id), 1);
  });

  it("of a change of a group leaves team, name and members to follow", async () => {
    const { id } = await provider.newUser("grouped");
    const group = await provider.ok("POST", "/Groups", { displayName: "Before" });
    await service.settled();
    const { scimGroups, teams } = service.app.storage;
    const stored = await scimGroups.find(provider.org.id, group.id);
    const change = {
      displayName: "After",
      displayNameKey: "after",
      renamesTeam: true,
      memberIds: [id],
    } as const;
    assert.ok(
      await scimGroups.change(group.id, stored!.revision, { ...change, memberIds: [id] }, service.app.now()),
    );
    assert.equal((await teams.find(provider.org.id, group.id))?.name, "Before");

    await reconcile();
    assert.equal((await teams.find(provider.org.id, group.id))?.name, "After");
    assert.deepEqual((await memberOf("grouped"))?.teamIds, [group.id]);
    assert.equal((await scimGroups.find(provider.org.id, group.id))?.pendingSince, undefined);
  });

  it("of the deletion of a group leaves the team to be deleted", async () => {
    const { id } = await provider.newUser("left-behind");
    const group = await provider.ok("POST", "/Groups", { displayName: "Ended", members: [{ value: id }] });
    await service.settled();
    const { scimGroups, teams } = service.app.storage;
    const stored = await scimGroups.find(provider.org.id, group.id);
    assert.ok(await scimGroups.markRemoved(group.id, stored!.revision, service.app.now()));

    await reconcile();
    assert.equal(await teams.find(provider.org.id, group.id), null);
    assert.equal(await scimGroups.findAny(group.id), null);
    assert.deepEqual((await memberOf("left-behind"))?.teamIds, []);
  });
});

describe("an outage of the queue", () => {
  it("during the verification of a domain makes the invited people members later", async () => {
    const invited = await newProvider(service, { domain: null });
    const person = await service.newUser();
    await confirmAddress(service, person);
    await loseDomain(service, "example.com");
    await invited.newUser(person.username);
    const isMember = async () => (await invited.members()).some(({ userId }) => userId === person.id);
    const { app } = service;
    const { queue } = app;
    const queued: JobPayloads["sso.domain-verified"][] = [];
    const path = `/api/tenants/${invited.org.id}/sso/domains`;
    const owner = { cookie: invited.owner.cookie };
    const claimed = await service.call<SsoDomainPayload>("POST", path, {
      ...owner,
      body: { domain: "example.com" },
    });
    record = claimed.data.record.value;
    const follow = async () => {
      await reconcileOrganizations(app, new Date(Date.now() + 60_000));
      for (const payload of queued.splice(0)) await processors(app)["sso.domain-verified"](payload);
    };
    try {
      app.queue = { ...queue, enqueue: () => Promise.reject(new Error("the queue is not available")) };
      const verified = await service.call("POST", `${path}/${claimed.data.id}/verify`, owner);
      assert.equal(verified.status, 200, verified.error);
      await service.settled();
      assert.equal(await isMember(), false);
      app.queue = {
        ...queue,
        async enqueue(name, payload) {
          if (name === "sso.domain-verified") queued.push(payload as (typeof queued)[number]);
        },
      };

      await follow();

      assert.ok(await isMember());
      await reconcileOrganizations(app, new Date(Date.now() + 60_000));
      assert.deepEqual(queued, [], "the follow-up of a verification ends");
    } finally {
      app.queue = queue;
    }
  });
});
