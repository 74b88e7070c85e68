import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type {
  InvitationPayload,
  MemberPayload,
  RolePayload,
  TeamPayload,
  TenantPayload,
} from "../../contract/payloads/organizations/organizations.ts";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { startWorkers } from "../../workers/start.ts";
import { confirmAddress } from "../support/organization.ts";
import type { TestService, TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { invitationMailsTo } from "./fixture.ts";

/** Mails with an invitation to an address; the real queue sends them in the background. */
const invitationsTo = (service: TestService, address: string) =>
  until(`an invitation to ${address}`, async () => {
    const found = await invitationMailsTo(service, address);
    return found.length > 0 && found;
  });

describe("a member's way through an organization", async () => {
  const { service } = await setUpService({ ownQueue: true });
  await startWorkers(service.app);
  const ada = await service.newUser("ada");
  const bea = await service.newUser("bea");
  for (const user of [ada, bea]) await confirmAddress(service, user);

  const call = <T = Record<string, unknown>>(user: TestUser, method: string, path: string, body?: unknown) =>
    service.call<T>(method, path, { token: user.token, body });

  it("leads from a mail to work in a team, and ends with no access left", async () => {
    // Ada creates an organization with a skill in a restricted folder.
    const made = await call<TenantPayload>(ada, "POST", "/api/tenants", { name: "Engine Works" });
    const org = `/api/tenants/${made.data.slug}`;
    const { data: skill } = await call<PublishResult>(ada, "POST", "/api/skills", {
      tenantId: made.data.id,
      name: "Valve checks",
      content: "Check the valves.\n",
      folder: "secret",
      createFolders: true,
    });
    const { data: folders } = await call<FolderPayload[]>(ada, "GET", `${org}/folders`);
    const role = await call<RolePayload>(ada, "POST", `${org}/roles`, {
      name: "Releaser",
      permissions: { skill: ["read", "update"], analytics: ["read"] },
    });
    const team = await call<TeamPayload>(ada, "POST", `${org}/teams`, {
      name: "Valves",
      roles: [role.data.id],
    });
    const access = await call(ada, "PUT", `/api/folders/${folders[0]!.id}/access`, {
      restricted: true,
      grants: [{ principal: { type: "team", id: team.data.id }, level: "editor" }],
    });
    assert.equal(access.status, 200, JSON.stringify(access.body));

    // Bea is invited by mail, and joins by its link.
    const invited = await call<InvitationPayload>(ada, "POST", `${org}/invitations`, {
      email: "bea@example.com",
      role: "viewer",
    });
    assert.equal(invited.data.mail, "waiting");
    const [mail] = await invitationsTo(service, "bea@example.com");
    assert.ok(mail!.link.startsWith(`${service.url}/invitations/`), mail!.link);
    const shown = await service.raw("GET", new URL(mail!.link).pathname, { cookie: bea.cookie });
    assert.match(await shown.text(), /Engine Works/);
    const token = mail!.link.split("/").at(-1);
    const joined = await call(bea, "POST", `/api/invitations/${token}/accept`);
    assert.equal(joined.status, 200, JSON.stringify(joined.body));

    // As a viewer she does not see what is restricted; in the team she works on it.
    const path = `/api/skills/${skill.skill.id}`;
    assert.equal((await call(bea, "GET", path)).code, "not_found");
    assert.equal((await call(ada, "PUT", `${org}/teams/${team.data.id}/members/${bea.id}`)).status, 200);
    assert.equal((await call<SkillPayload>(bea, "GET", path)).data.name, "Valve checks");
    const pushed = await call(bea, "POST", `${path}/versions`, { content: "Check the valves twice.\n" });
    assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
    assert.equal((await call(bea, "DELETE", path)).code, "forbidden");
    const colleagues = await call<MemberPayload[]>(ada, "GET", `${org}/teams/${team.data.id}/members`);
    assert.deepEqual(
      colleagues.data.map((one) => [one.username, one.role]),
      [["bea", "viewer"]],
    );

    // She becomes an owner, so Ada may leave; then she can't leave as the last one.
    assert.equal((await call(ada, "PATCH", `${org}/members/${bea.id}`, { role: "owner" })).status, 200);
    assert.equal((await call(ada, "DELETE", `${org}/members/${ada.id}`)).status, 200);
    assert.equal((await call(ada, "GET", path)).code, "not_found");
    const profile = await call<IdentityPayload>(ada, "GET", "/api/user/profile");
    assert.deepEqual(profile.data.memberships, []);
    assert.equal((await call(bea, "DELETE", `${org}/members/${bea.id}`)).code, "last_owner");

    // Ada rejoins as a member, with nothing of what she had.
    const memberships = service.app.storage.database.raw.collection("memberships");
    await until(
      "the end of the membership",
      async () => (await memberships.countDocuments({ userId: ada.id })) === 0,
    );
    await call(bea, "POST", `${org}/invitations`, { email: "ada@example.com", role: "viewer" });
    const [back] = await invitationsTo(service, "ada@example.com");
    const { link } = back!;
    assert.equal((await call(ada, "POST", `/api/invitations/${link.split("/").at(-1)}/accept`)).status, 200);
    assert.equal((await call(ada, "GET", path)).code, "not_found");
    assert.equal((await call(ada, "GET", `${org}/members`)).code, "forbidden");
  });
});
