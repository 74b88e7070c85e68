/**
 * Accepting and declining an invitation. The holder of the mail's link, or an account whose confirmed address is the
 * invited one, may do so once: one write takes the invitation out of `pending`, and the membership is created under the
 * id of the invitation, so that any number of attempts create one.
 */
import { limits } from "../../../contract/limits.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { ServiceError, forbidden } from "../../errors.ts";
import { missingProofIn, proofRequired } from "../../users/requirements.ts";
import { afterMemberLeft } from "../members/leave.ts";
import { requireInviterHolds } from "./inviter.ts";
import { invitationEnded, loadInvitation, loadOwnInvitation, type OwnInvitation } from "./load.ts";
import { createInvitedMembership } from "./membership.ts";

/**
 * Joins the organization. Throws `mfa_required` or `sso_required` where it requires a proof that the caller lacks,
 * `conflict` if the invitation was changed concurrently or a previous membership is still being ended.
 */
export async function acceptInvitation(app: App, actor: Actor, token: string): Promise<MembershipDoc> {
  const own = await loadOwnInvitation(app, actor, token, "accept an invitation");
  const { invitation, tenant, caller, account } = own;
  requireProof(app, own);
  await requireProvenAddress(app, own);
  await requireRoom(app, tenant, caller);
  await requireInviterHolds(app, own);
  const event = makeEvent(app, caller, "organization.member_joined", {
    tenantId: tenant._id,
    resourceType: "user",
    resourceId: caller.userId,
    metadata: { username: account.username, role: invitation.role, invitedBy: invitation.invitedBy.name },
  });
  const end = { state: "accepted", acceptedBy: caller.userId, endedAt: app.now() } as const;
  const accepted = await app.storage.invitations.end(invitation._id, invitation.revision, end, [event]);
  if (!accepted) throw await lost(app, token);
  // An address is confirmed in a session of its account, never by a token that an earlier holder may have made.
  if (own.link === "mail" && caller.via.kind === "session")
    await app.storage.users.markVerified(account._id, invitation.emailKey, app.now());
  await createInvitedMembership(app, accepted);
  flushEvents(app, app.storage.invitations, invitation._id, [event]);
  const membership = await app.storage.memberships.find(tenant._id, caller.userId);
  if (!membership) throw invitationEnded(tenant, "revoked");
  return membership;
}

/**
 * Requires what the organization requires of its members: a second factor, or a sign-in through its identity provider.
 */
function requireProof(app: App, { tenant, account, caller, invitation }: OwnInvitation): void {
  const { _id: tenantId, slug: tenantSlug, name: tenantName, mfaRequirement, ssoProviderIds } = tenant;
  const requirements = {
    tenantId,
    role: invitation.role,
    factorFrom: mfaRequirement?.from,
    ssoProviderIds,
  };
  const lack = missingProofIn(account, requirements, caller.via, app.now());
  if (lack) throw proofRequired({ tenantId, tenantSlug, tenantName, lack });
}

/** Requires a confirmed address where an identity provider has provisioned it, since its groups join their teams. */
async function requireProvenAddress(app: App, { invitation, account, link }: OwnInvitation): Promise<void> {
  if (link !== "copied" || account.emailVerifiedAt) return;
  const person = { userId: account._id, emailKey: invitation.emailKey };
  if (!(await app.storage.scimUsers.isProvisioned(invitation.tenantId, person))) return;
  throw forbidden("Confirm your e-mail address first: an identity provider manages it.", {
    kind: "invitation",
  });
}

/** The error for an invitation that was changed concurrently. */
async function lost(app: App, token: string): Promise<ServiceError> {
  await loadInvitation(app, token);
  return new ServiceError("conflict", "This invitation was changed just now: look at it again.", {
    kind: "invitation",
  });
}

async function requireRoom(app: App, tenant: TenantDoc, caller: UserActor): Promise<void> {
  const { memberships } = app.storage;
  const whose = { tenantId: tenant._id, userId: caller.userId };
  const [present, previous, count] = await Promise.all([
    memberships.find(tenant._id, caller.userId),
    memberships.listRemoved(whose, app.now(), 1),
    memberships.count(tenant._id),
  ]);
  if (present)
    throw new ServiceError("conflict", `You are a member of "${tenant.slug}" already.`, { kind: "member" });
  if (previous.length > 0) {
    // The data of the previous membership must be removed before there is a new one, or it would apply to that again.
    afterMemberLeft(app, whose);
    throw new ServiceError(
      "conflict",
      "Your previous membership is just being ended: try again in a moment.",
      {
        kind: "member",
      },
    );
  }
  if (count >= limits.membersPerOrganization) {
    const limit = limits.membersPerOrganization;
    throw new ServiceError("limit_reached", `"${tenant.slug}" has ${limit} members, which is the limit.`, {
      limit,
    });
  }
  if (caller.memberships.length >= limits.organizationsPerUser) {
    const limit = limits.organizationsPerUser;
    throw new ServiceError("limit_reached", `You belong to ${limit} organizations, which is the limit.`, {
      limit,
    });
  }
}

/** Declines an invitation permanently: the organization has to send a new one. */
export async function declineInvitation(app: App, actor: Actor, token: string): Promise<void> {
  const own = await loadOwnInvitation(app, actor, token, "decline an invitation");
  const { invitation, tenant, caller } = own;
  const event = makeEvent(app, caller, "organization.invitation_declined", {
    tenantId: tenant._id,
    resourceType: "invitation",
    resourceId: invitation._id,
    metadata: { email: invitation.email },
  });
  const end = { state: "declined", endedAt: app.now() } as const;
  const declined = await app.storage.invitations.end(invitation._id, invitation.revision, end, [event]);
  if (!declined) throw await lost(app, token);
  await app.storage.scimUsers.noteInvitationEnded(tenant._id, invitation.emailKey, "declined", app.now());
  flushEvents(app, app.storage.invitations, invitation._id, [event]);
}
