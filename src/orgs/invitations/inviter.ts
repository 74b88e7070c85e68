/** The check, at the time of acceptance, that the sender of an invitation still holds what it gives. */
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor } from "../../access/actor.ts";
import { isTooOld } from "../../access/token-age.ts";
import type { App } from "../../app.ts";
import { ServiceError, notFound } from "../../errors.ts";
import { loadUserActor, organizationActor } from "../../users/load.ts";
import { loadTenant } from "../service.ts";
import { requireMayOffer } from "./invite.ts";
import { invitationEnded, type OpenInvitation } from "./load.ts";

/**
 * An invitation gives what its sender holds when it is accepted: since it was sent, the sender may have lost a role, or
 * its teams may have been granted folders. Throws `refused`, with `details.state` `lapsed`.
 */
export async function requireInviterHolds(app: App, { invitation, tenant }: OpenInvitation): Promise<void> {
  const inviter = await loadInviter(app, tenant, invitation.invitedBy.id);
  const teams = await app.storage.teams.listByIds(invitation.teamIds);
  const teamIds = teams.filter(({ tenantId }) => tenantId === tenant._id).map(({ _id }) => _id);
  try {
    if (!inviter) throw notFound("member", invitation.invitedBy.id);
    await loadTenant(app, inviter, tenant._id, "member:invite");
    await requireMayOffer(app, inviter, tenant._id, { role: invitation.role, teamIds });
  } catch (error) {
    const isRefused = error instanceof ServiceError && refusals.has(error.code);
    throw isRefused ? invitationEnded(tenant, "lapsed") : error;
  }
}

const refusals = new Set<string>([
  "forbidden",
  "not_found",
  "mfa_required",
  "sso_required",
  "reauthentication_required",
]);
const unknownOrigin = { ipHash: undefined, source: "api", client: "api" } as const;

/**
 * The sender of an invitation with their current permissions: a member, or a token of the organization. Undefined for a
 * token that would be refused now: one that was revoked, has expired or is older than the organization allows.
 */
async function loadInviter(app: App, tenant: TenantDoc, id: string): Promise<Actor | undefined> {
  const user = await loadUserActor(app, id, { kind: "session", sessionId: "" }, unknownOrigin);
  if (user) return user;
  const token = await app.storage.tokens.findById(id);
  if (token?.tenantId !== tenant._id || token.revokedAt) return undefined;
  const now = app.now();
  if (token.expiresAt && token.expiresAt <= now) return undefined;
  if (isTooOld(token, tenant.maxTokenDays, now)) return undefined;
  // Without limits: a token with scopes or folders can't invite, and limits never change.
  return organizationActor(tenant, token, {}, unknownOrigin);
}
