/** The parts of a person's attention that are their own: tokens, connectors, invitations and installs. */
import type { AttentionItem } from "../../contract/payloads/organizations/attention.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { InstallDoc } from "../../storage/usage/installs.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { sentenceOf } from "../connectors/upstream/problems.ts";
import { listConnectors } from "../connectors/usable.ts";
import { listOutdatedInstalls } from "../skills/analytics/list-installs.ts";
import { followedBy } from "../skills/channels/channels.ts";
import { removalReason } from "../skills/marks/marks.ts";
import { listInvitedTo } from "../users/identity.ts";
import { loadAccount } from "../users/service.ts";
import { tenantOf, type Tenants } from "./tenants.ts";

const expiringMs = 14 * 24 * 3_600_000;

/** Tokens that end within 14 days, the next one first. Logins of devices are renewed by their use. */
export async function expiringTokens(
  app: App,
  actor: Actor,
  managed: Tenants,
  isPersonal: boolean,
  limit: number,
): Promise<AttentionItem[]> {
  const now = app.now();
  const rows = await app.storage.overviews.listExpiringTokens(
    {
      tenantIds: managed.map(({ tenantId }) => tenantId),
      userId: isPersonal && actor.kind === "user" ? actor.userId : undefined,
    },
    { from: now, to: new Date(now.getTime() + expiringMs) },
    limit,
  );
  return rows.map(({ _id, name, tenantId, expiresAt }) => ({
    kind: "token_expiring",
    tenant: tenantId === undefined ? null : tenantOf(managed, tenantId),
    id: _id,
    label: name,
    message: `The token "${name}" expires soon: create another one where it is used.`,
    at: expiresAt?.toISOString() ?? null,
  }));
}

/** The caller's hosted connectors that work again only once the caller has connected them in the browser. */
export async function waitingConnectors(
  app: App,
  actor: Actor,
  tenants: Tenants,
  limit: number,
): Promise<AttentionItem[]> {
  if (actor.kind !== "user") return [];
  const waiting = (await listConnectors(app, actor)).filter(({ status }) => status === "needs_auth");
  return waiting.slice(0, limit).map(({ connector, server, problem }) => {
    const name = server?.name ?? connector.slug;
    return {
      kind: "connector_needs_auth",
      tenant: tenantOf(tenants, connector.tenantId),
      id: connector._id,
      label: name,
      message: `${name}: ${problem ? sentenceOf(problem) : "Connect it again."}`,
      at: connector.updatedAt.toISOString(),
    };
  });
}

/** Invitations that wait for the caller, if their address is confirmed. */
export async function openInvitations(app: App, actor: Actor, limit: number): Promise<AttentionItem[]> {
  const invited = await listInvitedTo(app, await loadAccount(app, actor));
  return invited.slice(0, limit).map(({ invitation, tenant }) => ({
    kind: "invitation",
    tenant: { id: tenant._id, slug: tenant.slug, name: tenant.name },
    id: invitation._id,
    label: invitation.invitedBy.name,
    message: `${invitation.invitedBy.name} invites you to "${tenant.name}".`,
    at: invitation.expiresAt.toISOString(),
  }));
}

function problemOf(row: Pick<InstallDoc, "range" | "version">, skill: SkillDoc): string {
  const reason = removalReason(skill, row.version);
  if (reason === undefined) return `and ${wantedOf(row, skill)}`;
  const problem = reason === "rejected" ? "which was rejected" : "which its scan found malicious";
  return `${problem}: run svc uninstall ${skill.slug}`;
}

function wantedOf({ range }: Pick<InstallDoc, "range">, skill: SkillDoc): string {
  const followed = followedBy(skill, range) ?? skill.current;
  if (followed === skill.current) return `${followed.semver} is current`;
  return `its channel ${range} has ${followed.semver}`;
}

/** The caller's own installs of a version that installs no longer resolve to, or that should be removed. */
export async function outdatedInstalls(
  app: App,
  actor: Actor,
  tenants: Tenants,
  limit: number,
): Promise<AttentionItem[]> {
  if (actor.kind !== "user") return [];
  const tenantIds = tenants.map(({ tenantId }) => tenantId);
  const found = await listOutdatedInstalls(app, actor, tenantIds, limit);
  return found.map(({ row, skill }) => ({
    kind: "install_outdated",
    tenant: tenantOf(tenants, skill.tenantId),
    id: row._id,
    label: skill.name,
    message: `${row.platform} has ${skill.slug} ${row.semver}, ${problemOf(row, skill)}.`,
    at: row.updatedAt.toISOString(),
  }));
}
