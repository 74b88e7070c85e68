/** The calls of the isolation test: for each declared route, the ids in its path, and a valid body. */
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import type { Route } from "../../src/http/route.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { samlSettings } from "../support/sso/fixture.ts";

export interface Organization {
  org: TestOrg;
  owner: TestUser;
  member: TestUser;
  /** The organization's own unrestricted token. */
  token: string;
  skill: PublishResult["skill"];
  ids: Record<
    | "reservedSlug"
    | "folder"
    | "collection"
    | "team"
    | "role"
    | "invitation"
    | "orgToken"
    | "policy"
    | "domain"
    | "mcpServer"
    | "connector"
    | "provider"
    | "upload"
    | "session"
    | "passkey"
    | "grant"
    | "follow"
    | "webhook"
    | "delivery",
    string
  >;
}

/** Values of a path's parameters, by route. */
function idFor(route: Route, name: string, organization: Organization): string {
  const { path } = route;
  if (name === "tenant") return organization.org.id;
  if (name === "skill") return organization.skill.id;
  if (name === "folder") return organization.ids.folder;
  if (name === "collection") return organization.ids.collection;
  if (name === "slug") return organization.ids.reservedSlug;
  if (name === "upload") return organization.ids.upload;
  if (name === "userId") return organization.member.id;
  if (name === "token") return organization.ids.invitation;
  if (name === "path") return "SKILL.md";
  if (name === "version") return "1";
  if (name === "channel") return "stable";
  if (name === "finding") return "0".repeat(16);
  if (name === "conflict") return `${organization.skill.id}:1`;
  if (name === "user") return organization.owner.id;
  if (name === "organization") return organization.org.slug;
  if (name === "connector") return organization.ids.connector;
  if (name === "server") return organization.ids.mcpServer;
  if (name === "queue") return "maintenance";
  if (name === "report") return organization.skill.id;
  if (name === "key") return "0".repeat(43);
  if (path.includes("/admin/jobs/")) return "1";
  if (path.includes("/teams/")) return organization.ids.team;
  if (name === "test") return "0".repeat(24);
  if (path.includes("/sso/providers/")) return organization.ids.provider;
  if (path.includes("/sso/domains/")) return organization.ids.domain;
  if (path.includes("/oidc-policies/")) return organization.ids.policy;
  if (path.includes("/roles/")) return organization.ids.role;
  if (path.includes("/invitations/")) return organization.ids.invitation;
  if (path.includes("/user/sessions/")) return organization.ids.session;
  if (name === "webhook" || name === "delivery") return organization.ids[name];
  if (name === "follow") return organization.ids.follow;
  if (path.includes("/user/grants/")) return organization.ids.grant;
  if (path.includes("/auth/passkeys/")) return organization.ids.passkey;
  if (path.includes("/tokens/")) return organization.ids.orgToken;
  throw new Error(`what is "${name}" of ${path}?`);
}

const spyPlace = { platform: "claude", scope: "global", machine: "m" };
export const spyServer = { transport: "http", url: "https://mcp.example.com/mcp" };
const spyProvider = { name: "spy", type: "saml", saml: samlSettings("https://spy.example.com/sso") };
export const spyPolicy = { name: "spy", provider: "github", repository: "spy/skills", ref: "*" };

/** A valid body for the routes that need one, with ids of `organization`. */
export const bodies: Record<string, (organization: Organization) => unknown> = {
  "post /api/skills/:skill/versions": () => ({ content: "mine\n" }),
  "post /api/skills/:skill/versions/plan": () => ({ format: "markdown", hash: "0".repeat(64) }),
  "post /api/skills/:skill/rename": () => ({ slug: "taken-over" }),
  "post /api/skills/:skill/move": ({ ids }) => ({ folderId: ids.folder }),
  "patch /api/skills/:skill/versions/:version": () => ({ yanked: true }),
  "put /api/skills/:skill/channels/:channel": () => ({ version: 1 }),
  "put /api/skills/:skill/findings/:finding": () => ({ reviewed: true }),
  "post /api/skills/:skill/copy": ({ org }) => ({ tenantId: org.id }),
  "post /api/skills/:skill/revert": () => ({ version: 1 }),
  "post /api/skills/:skill/reports": () => ({ reason: "malware" }),
  "patch /api/admin/reports/:report": () => ({ state: "dismissed" }),
  "post /api/admin/users/:user/suspend": () => ({ reason: "x" }),
  "post /api/admin/users/:user/unsuspend": () => ({ reason: "x" }),
  "post /api/admin/users/:user/end-sessions": () => ({ reason: "x" }),
  "post /api/admin/users/:user/reset-factors": () => ({ reason: "x" }),
  "put /api/tenants/:tenant/search-synonyms": () => ({ groups: [["a1", "b1"]] }),
  "put /api/tenants/:tenant/review-rules/:folder": () => ({ approvals: 1 }),
  "post /api/skills/:skill/versions/:version/review": () => ({ decision: "approve" }),
  "post /api/skills/:skill/versions/:version/review/comments": () => ({ text: "Mine" }),
  "put /api/tenants/:tenant/auto-join": () => ({ enabled: true }),
  "put /api/tenants/:tenant/mfa-requirement": () => ({ required: true }),
  "post /api/tenants/:tenant/webhooks": () => ({ name: "spy", url: "https://spy.example.com/hook" }),
  "patch /api/tenants/:tenant/webhooks/:webhook": () => ({ url: "https://spy.example.com/hook" }),
  "put /api/tenants/:tenant/audit-log/forwarding": () => ({ url: "https://spy.example.com/audit" }),
  "put /api/admin/organizations/:tenant/storage-limit": () => ({ limitBytes: null, reason: "x" }),
  "post /api/admin/users/:user/grant-administrator": () => ({ reason: "x" }),
  "post /api/admin/users/:user/remove-administrator": () => ({ reason: "x" }),
  "post /api/admin/signing-keys/:key/revoke": () => ({ reason: "x" }),
  "post /api/admin/skills/:skill/take-down": () => ({ reason: "x" }),
  "post /api/admin/skills/:skill/lift-takedown": () => ({ reason: "x" }),
  "put /api/skills/:skill": () => ({ name: "Taken over" }),
  "post /api/tenants/:tenant/collections": ({ skill }) => ({ name: "Spy", skills: [skill.id] }),
  "patch /api/tenants/:tenant/collections/:collection": () => ({ name: "Taken over" }),
  "put /api/tenants/:tenant/skill-index": ({ ids }) => ({ collection: ids.collection }),
  "put /api/tenants/:tenant/collection-order": ({ ids }) => ({ collections: [ids.collection] }),
  "patch /api/folders/:folder": () => ({ name: "Taken over" }),
  "put /api/folders/:folder/access": () => ({ restricted: false, grants: [] }),
  "post /api/folders/:folder/effective": () => ({ restricted: false, grants: [] }),
  "post /api/tenants/:tenant/access/check": ({ ids, owner }) => ({
    userId: owner.id,
    action: "read",
    folderId: ids.folder,
  }),
  "post /api/tenants/:tenant/folders": () => ({ path: "planted" }),
  "patch /api/tenants/:tenant": () => ({ name: "Taken over" }),
  "patch /api/tenants/:tenant/members/:userId": () => ({ role: "viewer" }),
  "post /api/tenants/:tenant/invitations": () => ({ email: "spy@example.com" }),
  "post /api/tenants/:tenant/invitations/batch": () => ({ emails: ["spy@example.com"] }),
  "post /api/tenants/:tenant/teams": () => ({ name: "Spies" }),
  "patch /api/tenants/:tenant/teams/:id": () => ({ name: "Spies" }),
  "post /api/tenants/:tenant/roles": () => ({ name: "Spy", permissions: { skill: ["read"] } }),
  "patch /api/tenants/:tenant/roles/:id": () => ({ name: "Spy" }),
  "patch /api/auth/passkeys/:id": () => ({ name: "Taken over" }),
  "post /api/tenants/:tenant/tokens": () => ({ name: "spy" }),
  "post /api/tenants/:tenant/sso/providers": () => spyProvider,
  "patch /api/tenants/:tenant/sso/providers/:id": () => ({ name: "Taken over" }),
  "put /api/tenants/:tenant/sso/providers/:id/group-mappings": () => ({ mappings: [] }),
  "post /api/tenants/:tenant/sso/domains": () => ({ domain: "spy.example" }),
  "post /api/tenants/:tenant/mcp-servers": () => ({ name: "Spy", ...spyServer }),
  "post /api/tenants/:tenant/mcp-servers/import": () => ({ name: "io.example/spy" }),
  "post /api/tenants/:tenant/mcp-servers/:server/apply-catalog": () => ({ version: "1.0.0" }),
  "patch /api/tenants/:tenant/mcp-servers/:server": () => ({ name: "Taken over" }),
  "post /api/user/connectors/:connector/connect": () => ({}),
  "put /api/tenants/:tenant/mcp-central": () => ({ enabled: false }),
  "put /api/tenants/:tenant/mcp-registry": () => ({ enabled: true }),
  "post /api/tenants/:tenant/scim/teams": ({ ids }) => ({ teamId: ids.team }),
  "post /api/tenants/:tenant/oidc-policies": () => spyPolicy,
  "post /api/tenants/:tenant/oidc-policies/test": () => ({ token: "spy" }),
  "patch /api/tenants/:tenant/oidc-policies/:id": () => ({ repository: "spy/skills" }),
  "put /api/tenants/:tenant/mcp-servers/:server/installs": () => ({ ...spyPlace, revision: 1 }),
  "put /api/skills/:skill/installs": () => ({
    platform: "claude",
    scope: "global",
    version: 1,
    machine: "m",
  }),
  "post /api/skills/:skill/installs/remind": () => ({}),
  "delete /api/skills/:skill/installs": () => ({ platform: "claude", scope: "global", machine: "m" }),
  "post /api/tenants/:tenant/repo-sync": () => ({ host: "local", url: "https://git.example.com/spy" }),
  "patch /api/tenants/:tenant/repo-sync": () => ({ mode: "pull_request" }),
  "post /api/tenants/:tenant/repo-sync/plan": () => ({ host: "local", url: "https://git.example.com/spy" }),
  "post /api/tenants/:tenant/personal-workspaces/enable": () => ({}),
  "post /api/tenants/:tenant/personal-workspaces/disable": () => ({}),
  "post /api/tenants/:tenant/personal-workspaces/retry": () => ({}),
  "post /api/tenants/:tenant/personal-workspaces/repair": () => ({}),
  "post /api/tenants/:tenant/personal-workspaces/move": () => ({ name: "Taken over" }),
  "post /api/tenants/:tenant/personal-workspaces/reassign": ({ member, owner }) => ({
    userId: member.id,
    toUserId: owner.id,
  }),
};
/** Query strings that routes need. */
const queries: Record<string, string> = {
  "get /api/skills/:skill/diff": "?from=1",
  "get /api/skills/:skill/found-by/position": "?query=skill",
  "get /api/tenants/:tenant/audit-log/export": "?format=json",
  "delete /api/tenants/:tenant/mcp-servers/:server/installs": "?platform=claude&scope=global&machine=m",
  "delete /api/skills/:skill/installs": "?platform=claude&scope=global&machine=m",
};

export const keyOf = (route: Route) => `${route.method} ${route.path}`;
export const pathOf = (route: Route, organizations: Record<string, Organization>) =>
  route.path.replace(/[:*](\w+)/g, (_, name: string) =>
    idFor(route, name, organizations[name] ?? organizations["rest"]!),
  ) + (queries[keyOf(route)] ?? "");
