import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { TenantPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { CatalogItem, PublishResult } from "../../contract/payloads/skills/skills.ts";
import { leaveAllTenants } from "../../src/orgs/members/leave.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { processors } from "../../workers/processors.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture, type Fixture } from "./fixture.ts";

let fixture: Fixture;
let member: TestUser;
let skill: PublishResult["skill"];

const { service, clock } = await setUpService();

beforeEach(async () => {
  clock.aheadMs = 0;
  await service.empty();
  // Else repositories of earlier tests would look like those of another database, which keeps erasing off.
  const { serviceSettings } = service.app.storage;
  await service.app.repos.writeEpoch(
    await serviceSettings.claimEpoch({ service: service.app.newId(), number: 1 }),
  );
  fixture = await makeFixture(service);
  member = await fixture.join("member");
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: member.token,
    body: { tenantId: fixture.org.id, name: "Doomed thing", content: "doomed text\n", visibility: "public" },
  });
  skill = made.data.skill;
  await service.settled();
});

const erase = () => processors(service.app)["orgs.erase"]({ tenantId: fixture.org.id });
const read = (token?: string) => service.call("GET", `/api/skills/${skill.id}`, { token });
const catalog = async (query = "") =>
  (await service.call<CatalogItem[]>("GET", `/api/explore${query}`)).data.map((item) => item.slug);

/** Documents, in any collection, that mention the organization, except the one that reserves its slugs. */
async function traces(): Promise<string[]> {
  const found: string[] = [];
  for (const collection of await service.app.storage.database.raw.collections()) {
    const name = collection.collectionName;
    const documents = await collection.find({ erasedAt: { $exists: false } }).toArray();
    for (const document of documents)
      if (JSON.stringify(document).includes(fixture.org.id) || JSON.stringify(document).includes(skill.id))
        found.push(`${name}: ${JSON.stringify(document).slice(0, 200)}`);
  }
  return found;
}

describe("a deleted organization", () => {
  it("is hidden from everyone but its owners from the next call on", async () => {
    const admin = await fixture.join("admin");
    const refused = await fixture.at(admin, "DELETE", "");
    const deleted = await fixture.at(fixture.owner, "DELETE", "");

    const seen = await fixture.at<TenantPayload>(fixture.owner, "GET", "");
    const listed = await service.call<TenantPayload[]>("GET", "/api/tenants", { token: fixture.owner.token });
    const profile = await service.call<IdentityPayload>("GET", "/api/user/profile", {
      token: fixture.owner.token,
    });

    assert.deepEqual([refused.code, deleted.status], ["forbidden", 200]);
    const inMs = new Date(seen.data.deletionAt!).getTime() - Date.now();
    assert.ok(Math.abs(inMs - limits.organizationGraceMs) < 60_000, `${inMs}`);
    assert.deepEqual(seen.data.permissions, { organization: ["delete"] });
    assert.equal(listed.data.length, 1);
    assert.deepEqual(profile.data.memberships, []);
    for (const user of [admin, member]) {
      assert.equal((await fixture.at(user, "GET", "")).code, "not_found");
      assert.equal((await fixture.at(user, "POST", "/restore")).code, "not_found");
      assert.equal((await read(user.token)).code, "not_found");
    }
    assert.equal((await read(fixture.owner.token)).code, "not_found");
    assert.equal((await read()).code, "unauthenticated");
    assert.deepEqual([await catalog(), await catalog("?query=doomed")], [[], []]);
    assert.equal((await service.raw("GET", `/s/${skill.publicId}`)).status, 303);
  });

  it("rejects every change, and returns the reason to its owners", async () => {
    await fixture.at(fixture.owner, "DELETE", "");
    const calls: [string, string, unknown?][] = [
      ["PATCH", "", { name: "Alive" }],
      ["GET", "/members"],
      ["POST", "/teams", { name: "Late" }],
      ["POST", "/invitations", { email: "late@example.org" }],
    ];
    for (const [method, path, body] of calls) {
      const answer = await fixture.at(fixture.owner, method, path, body);
      assert.equal(answer.code, "forbidden", `${method} ${path}`);
      assert.match(answer.error!, /will be erased/);
    }
    const published = await service.call("POST", "/api/skills", {
      token: fixture.owner.token,
      body: { tenantId: fixture.org.id, name: "Late", content: "late\n" },
    });
    assert.equal(published.code, "forbidden");
    assert.equal((await fixture.at(fixture.owner, "DELETE", "")).code, "conflict");
    const slug = await service.call("POST", "/api/tenants", {
      token: member.token,
      body: { name: "Vulture", slug: fixture.org.slug },
    });
    assert.equal(slug.code, "already_exists");
  });

  it("is restored completely if an owner restores it in time", async () => {
    await fixture.at(fixture.owner, "DELETE", "");
    await erase();

    const restored = await fixture.at<TenantPayload>(fixture.owner, "POST", "/restore");
    const again = await fixture.at(fixture.owner, "POST", "/restore");

    assert.equal(restored.status, 200, JSON.stringify(restored.body));
    assert.equal(restored.data.deletionAt, undefined);
    assert.ok(restored.data.permissions["skill"]!.includes("read"));
    assert.equal(again.code, "conflict");
    assert.deepEqual([(await read()).status, (await read(member.token)).status], [200, 200]);
    assert.deepEqual([await catalog(), await catalog("?query=doomed")], [[skill.slug], [skill.slug]]);
    const events = await fixture.events();
    assert.deepEqual(events.slice(-2), [
      "organization.deletion_scheduled",
      "organization.deletion_cancelled",
    ]);
    const pushed = await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: member.token,
      body: { content: "alive again\n" },
    });
    assert.equal(pushed.status, 201);
  });

  it("leaves only its reserved slugs when its grace period is over", async () => {
    const renamed = `${fixture.org.slug}-renamed`;
    await fixture.at(fixture.owner, "PATCH", "", { slug: renamed });
    const team = await fixture.newTeam("Doomed", [await fixture.newRole("Doomed", { skill: ["read"] })]);
    await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${member.id}`);
    await fixture.at(fixture.owner, "POST", "/folders", { path: "a/b/c", parents: true });
    const listed = await fixture.at(fixture.owner, "POST", "/collections", { name: "X", skills: [skill.id] });
    assert.equal(listed.status, 201);
    await fixture.invite(fixture.owner, "doomed@example.org");
    await fixture.at(fixture.owner, "DELETE", `/members/${(await fixture.join("viewer")).id}`);
    await service.settled();
    await fixture.at(fixture.owner, "DELETE", "");
    await service.settled();
    const repositories = async () => {
      const found: string[] = [];
      for await (const repo of service.app.repos.listRepos()) found.push(repo.skillId);
      return found;
    };
    assert.ok((await repositories()).includes(skill.id));

    clock.aheadMs = limits.organizationGraceMs + 1000;
    const late = await fixture.at(fixture.owner, "POST", "/restore");
    await erase();
    await service.settled();

    assert.equal(late.code, "conflict");
    const passing = (await traces()).filter((trace) => !trace.startsWith("idempotency"));
    assert.deepEqual(passing, []);
    assert.ok(!(await repositories()).includes(skill.id));
    for (const slug of [fixture.org.slug, renamed]) {
      const body = { name: "Heirs", slug };
      const taken = await service.call("POST", "/api/tenants", { token: member.token, body });
      const found = await service.call("GET", `/api/tenants/${slug}`, { token: fixture.owner.token });
      assert.deepEqual([taken.code, found.code], ["already_exists", "not_found"]);
    }
    const { raw } = service.app.storage.database;
    const left = await raw.collection("tenants").findOne({ slugs: renamed });
    assert.deepEqual(Object.keys(left!).sort(), ["_id", "erasedAt", "slug", "slugs"]);
  });

  it("continues to be erased after a crash, and can't be restored then", async () => {
    await fixture.at(fixture.owner, "DELETE", "");
    clock.aheadMs = limits.organizationGraceMs + 1000;
    const { downloads } = service.app.storage;
    const { removeOfSkill } = downloads;
    downloads.removeOfSkill = async () => {
      throw new Error("the process stops here");
    };
    try {
      await assert.rejects(erase());
    } finally {
      downloads.removeOfSkill = removeOfSkill;
    }

    const between = await fixture.at(fixture.owner, "GET", "");
    await erase();
    await erase();

    assert.equal(between.code, "not_found");
    assert.deepEqual(await traces(), []);
  });

  it("is cleaned up even if the process crashed right after its deletion was written", async () => {
    const { tenants } = service.app.storage;
    const deletionAt = new Date(Date.now() + limits.organizationGraceMs);
    await tenants.change(fixture.org.id, { set: { deletionAt }, now: service.app.now() });
    const early = await fixture.at(member, "GET", "");

    clock.aheadMs = 60_000;
    await reconcile(service.app);

    assert.equal(early.code, "not_found");
    assert.equal((await read(member.token)).code, "not_found");
    assert.deepEqual(await catalog(), []);
  });
});

describe("an account that leaves all organizations", () => {
  it("leaves no organization without an owner", async () => {
    const person = await service.newUser();
    const [sole, shared, doomed] = [
      await makeFixture(service, person),
      await makeFixture(service, person),
      await makeFixture(service, person),
    ];
    const partner = await shared.join("owner");
    await doomed.at(person, "DELETE", "");
    await fixture.add(person, "viewer");

    await assert.rejects(leaveAllTenants(service.app, person.id), {
      code: "last_owner",
      details: {
        kind: "organization",
        ref: sole.org.slug,
        organizations: [{ id: sole.org.id, slug: sole.org.slug, name: sole.org.slug }],
      },
    });
    assert.equal((await service.app.storage.memberships.listOfUser(person.id)).length, 4);
    await sole.add(partner, "owner");
    await leaveAllTenants(service.app, person.id);

    assert.deepEqual(await service.app.storage.memberships.listOfUser(person.id), []);
    assert.equal((await shared.at(partner, "DELETE", `/members/${partner.id}`)).code, "last_owner");
    assert.ok((await fixture.events()).includes("organization.member_left"));
  });
});
