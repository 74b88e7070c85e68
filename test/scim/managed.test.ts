/** The lists of what SCIM manages, for the owners of an organization and for its members. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ScimGroupPayload, ScimUserPayload } from "../../contract/payloads/accounts/scim.ts";
import type { MemberPayload } from "../../contract/payloads/organizations/organizations.ts";
import { newMember } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { setUpScim, patchOp } from "./fixture.ts";

const { service, provider } = await setUpScim(undefined, { reportsCommands: true });

const get = <T>(path: string, token = provider.owner.token) =>
  service.call<T>("GET", `/api/tenants/${provider.org.id}${path}`, { token });
const namesOf = (users: ScimUserPayload[]) => users.map(({ userName }) => userName);

describe("the users that SCIM manages", () => {
  it("are listed with their accounts and groups, by state and by the beginning of the user name", async () => {
    const { id: ada } = await provider.newUser("ada", { displayName: "Ada Lovelace" });
    const { id: bob } = await provider.newUser("Bob");
    const stranger = await service.newUser();
    await provider.newUser(stranger.username);
    const group = await provider.ok("POST", "/Groups", {
      displayName: "Analysts",
      members: [{ value: ada }],
    });
    await provider.ok("PATCH", `/Users/${bob}`, patchOp({ op: "replace", path: "active", value: false }));

    const all = await get<ScimUserPayload[]>("/scim/users");
    assert.equal(all.nextCursor, null);
    assert.deepEqual(namesOf(all.data), [
      "ada@example.com",
      "Bob@example.com",
      `${stranger.username}@example.com`,
    ]);
    const account = await service.app.storage.users.findCredentials("ada@example.com");
    const { updatedAt, ...first } = all.data[0]!;
    assert.ok(Date.parse(updatedAt) > 0);
    assert.deepEqual(first, {
      id: ada,
      userName: "ada@example.com",
      name: "Ada Lovelace",
      email: "ada@example.com",
      active: true,
      invited: false,
      reason: null,
      account: { userId: account!._id, username: "ada" },
      groups: [{ id: group.id, name: "Analysts" }],
    });
    const byState = async (state: string) =>
      namesOf((await get<ScimUserPayload[]>(`/scim/users?${state}`)).data);
    assert.deepEqual(await byState("state=inactive"), ["Bob@example.com"]);
    assert.deepEqual(await byState("state=invited"), [`${stranger.username}@example.com`]);
    assert.deepEqual(await byState("state=active&query=ADA"), ["ada@example.com"]);
    assert.deepEqual(await byState("query=.*"), [], "a text is no pattern");
  });

  it("are read page by page, and by index", async () => {
    for (let i = 0; i < 5; i++) await provider.newUser(`paged-${i}`);
    const seen: string[] = [];
    const plans = await plansOf(service, async () => {
      for (let cursor: string | null = ""; cursor !== null;) {
        const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const page = await get<ScimUserPayload[]>(`/scim/users?query=paged-&limit=2${at}`);
        seen.push(...namesOf(page.data));
        cursor = page.nextCursor ?? null;
      }
      await get("/scim/users?state=inactive");
      await get("/scim/users?state=invited");
      await get("/scim/groups");
      await get("/scim");
    });
    assert.deepEqual(
      seen,
      [0, 1, 2, 3, 4].map((i) => `paged-${i}@example.com`),
    );
    assertIndexed(plans, 15);
    const sorted = plans.filter(({ stages }) => stages.includes("SORT"));
    assert.deepEqual(sorted, []);
  });

  it("are marked in the list of members, for those who may change members", async () => {
    const admin = await newMember(service, provider.org, "admin");
    const member = await newMember(service, provider.org, "member");
    const marked = async (token: string) => {
      const { data } = await get<MemberPayload[]>("/members", token);
      return data.filter(({ provisioned }) => provisioned).map(({ username }) => username);
    };
    assert.ok((await marked(admin.token)).includes("ada"));
    assert.ok(!(await marked(admin.token)).includes(admin.username));
    assert.deepEqual(await marked(member.token), []);
  });

  it("are for owners only", async () => {
    const admin = await newMember(service, provider.org, "admin");
    const stranger = await service.newUser();
    for (const list of ["/scim/users", "/scim/groups", "/scim/log"]) {
      assert.equal((await get(list, admin.token)).status, 403, list);
      assert.equal((await get(list, stranger.token)).status, 404, list);
    }
  });
});

describe("the groups that SCIM manages", () => {
  it("are listed by name, with the existing teams among them", async () => {
    const team = await service.call<{ id: string }>("POST", `/api/tenants/${provider.org.id}/teams`, {
      token: provider.owner.token,
      body: { name: "Zebras" },
    });
    const put = await service.call("POST", `/api/tenants/${provider.org.id}/scim/teams`, {
      cookie: provider.owner.cookie,
      body: { teamId: team.data.id },
    });
    assert.ok(put.status < 300, JSON.stringify(put.body));
    const first = await get<ScimGroupPayload[]>("/scim/groups?limit=1");
    const second = await get<ScimGroupPayload[]>(`/scim/groups?limit=1&cursor=${first.nextCursor}`);
    const shown = [...first.data, ...second.data].map(({ name, members, isMapped }) => ({
      name,
      members,
      isMapped,
    }));
    assert.deepEqual(shown, [
      { name: "Analysts", members: 1, isMapped: false },
      { name: "Zebras", members: 0, isMapped: true },
    ]);
    assert.equal(second.data[0]?.id, team.data.id);
    assert.equal(second.nextCursor, null);
  });
});

describe("a user name that another user has", () => {
  it("is refused as such, and no invitation is sent", async () => {
    const stranger = await service.newUser();
    const again = await provider.send("POST", "/Users", {
      userName: "ada@example.com",
      emails: [{ value: `${stranger.username}@example.com` }],
    });
    assert.equal(again.status, 409);
    assert.equal(again.body.detail, 'There is a user "ada@example.com" already.');
    const key = `${stranger.username}@example.com`;
    assert.equal(await service.app.storage.invitations.findPending(provider.org.id, key), null);
  });
});
