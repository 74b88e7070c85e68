/**
 * Accepting and declining an invitation. The holder of the mail's link, or an account whose confirmed address is the
 * invited one, may do so once: one write takes the invitation out of `pending`, and the membership is created under the
 * id of the invitation, so that any number of attempts create one.
 */
import { limits } from "../../contract/limits.ts";
import { isDuplicate, isId } from "../../storage/database.ts";
import type { InvitationDoc } from "../../storage/invitations.ts";
import type { MembershipDoc } from "../../storage/memberships.ts";
import type { TenantDoc } from "../../storage/tenants.ts";
import type { Account } from "../../storage/users.ts";
import type { Actor, UserActor } from "../access/actor.ts";
import { ownerRole } from "../access/permissions.ts";
import { isTooOld } from "../access/token-age.ts";
import type { App } from "../app.ts";
import { makeEvent, flushEvents } from "../audit/events.ts";
import { ServiceError, forbidden, notFound } from "../errors.ts";
import { checkLink, readLink, signLink } from "../mail/signed-link.ts";
import { loadUserActor, organizationActor, requireUnrestricted } from "../users/load.ts";
import { propagateUser, memberNames } from "../users/member-names.ts";
import { loadAccount } from "../users/service.ts";
import { requireMayOffer } from "./invitations.ts";
import { afterMemberLeft } from "./members.ts";
import { enlistOwner } from "./owners.ts";
import { propagateTenant, loadTenant } from "./service.ts";

export interface OpenInvitation {
  invitation: InvitationDoc;
  tenant: TenantDoc;
  /** Whether it came by the mail's own link, which proves the address. */
  isByLink: boolean;
}

/** The token of an invitation's link: kept nowhere, made again whenever a mail is. */
export function invitationToken(app: App, { _id, emailKey, expiresAt }: InvitationDoc): string {
  return signLink(app, "invitation", { id: _id, expiresAt, bind: emailKey });
}

/**
 * The open invitation that a link's token or an invitation's id names. Throws `not_found` for what was made up, and
 * `refused` or `conflict`, with `details.state`, for one that is over.
 */
export async function loadInvitation(app: App, token: string): Promise<OpenInvitation> {
  const id = isId(token) ? token : readLink(token)?.id;
  const invitation = id !== undefined && isId(id) ? await app.storage.invitations.find(id) : null;
  if (!invitation) throw unknownInvitation();
  const isByLink = token !== id;
  const link = isByLink ? checkLink(app, "invitation", token, invitation.emailKey) : "valid";
  if (link === "invalid") throw unknownInvitation();
  const tenant = await app.storage.tenants.find(invitation.tenantId);
  if (!tenant || tenant.deletionAt) throw unknownInvitation();
  const isExpired = link === "expired" || invitation.expiresAt <= app.now();
  const state = invitation.pending && isExpired ? "expired" : invitation.state;
  if (state !== "pending") throw isOver(tenant, state);
  return { invitation, tenant, isByLink };
}

function isOver(
  tenant: TenantDoc,
  state: Exclude<InvitationDoc["state"], "pending"> | "expired" | "lapsed",
): ServiceError {
  const sentence = {
    accepted: "was accepted already.",
    declined: "was declined: ask for another one.",
    revoked: "was taken back.",
    expired: "ran out: ask for another one.",
    lapsed:
      "is no longer valid, because its sender no longer holds the permissions that it gives: ask for another one.",
  }[state];
  return new ServiceError(
    state === "accepted" ? "conflict" : "refused",
    `This invitation to "${tenant.slug}" ${sentence}`,
    { kind: "invitation", ref: tenant.slug, state },
  );
}

/** The same message for every unknown token, which it does not repeat. */
function unknownInvitation(): ServiceError {
  return new ServiceError("not_found", "Invitation not found, or you don't have access to it.", {
    kind: "invitation",
  });
}

/** An open invitation that is the caller's own. Throws `forbidden` where it is for another address. */
export async function loadOwnInvitation(
  app: App,
  actor: Actor,
  token: string,
  act: string,
): Promise<OpenInvitation & { caller: UserActor; account: Account }> {
  const caller = requireUnrestricted(actor, act);
  const account = await loadAccount(app, caller);
  if (isId(token)) {
    // An id is no secret: to others than the invited it names nothing, whatever became of it.
    const named = await app.storage.invitations.find(token);
    if (named?.emailKey !== account.emailKey) throw unknownInvitation();
    if (!account.emailVerifiedAt)
      throw forbidden("Confirm your e-mail address first, or use the link of the invitation's mail.", {
        kind: "invitation",
      });
  }
  const open = await loadInvitation(app, token);
  if (open.invitation.emailKey !== account.emailKey) {
    const meant = maskAddress(open.invitation.email);
    throw forbidden(`This invitation is for ${meant}: sign in with the account of that address.`, {
      kind: "invitation",
    });
  }
  return { ...open, caller, account };
}

/** Enough of an address for its owner to recognize it. */
export function maskAddress(email: string): string {
  const [first = ""] = email;
  return `${first}…${email.slice(email.lastIndexOf("@"))}`;
}

/**
 * Joins the organization. Throws `conflict` if the invitation was changed concurrently or a former membership is still
 * being ended.
 */
export async function acceptInvitation(app: App, actor: Actor, token: string): Promise<MembershipDoc> {
  const own = await loadOwnInvitation(app, actor, token, "accept an invitation");
  const { invitation, tenant, caller, account } = own;
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
  if (own.isByLink && caller.via.kind === "session")
    await app.storage.users.markVerified(account._id, invitation.emailKey, app.now());
  await createInvitedMembership(app, accepted);
  flushEvents(app, app.storage.invitations, invitation._id, [event]);
  const membership = await app.storage.memberships.find(tenant._id, caller.userId);
  if (!membership) throw notFound("team", tenant.slug);
  return membership;
}

/**
 * An invitation gives what its sender holds when it is accepted: since it was sent, the sender may have lost a role, or
 * its teams may have been granted folders. Throws `refused`, with `details.state` `lapsed`.
 */
async function requireInviterHolds(app: App, { invitation, tenant }: OpenInvitation): Promise<void> {
  const inviter = await loadInviter(app, tenant, invitation.invitedBy.id);
  const teams = await app.storage.teams.listByIds(invitation.teamIds);
  const teamIds = teams.filter(({ tenantId }) => tenantId === tenant._id).map(({ _id }) => _id);
  try {
    if (!inviter) throw notFound("member", invitation.invitedBy.id);
    await loadTenant(app, inviter, tenant._id, "member:invite");
    await requireMayOffer(app, inviter, tenant._id, { role: invitation.role, teamIds });
  } catch (error) {
    const isRefused =
      error instanceof ServiceError && (error.code === "forbidden" || error.code === "not_found");
    throw isRefused ? isOver(tenant, "lapsed") : error;
  }
}

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
  const [present, former, count] = await Promise.all([
    memberships.find(tenant._id, caller.userId),
    memberships.listRemoved(whose, app.now(), 1),
    memberships.count(tenant._id),
  ]);
  if (present)
    throw new ServiceError("conflict", `You are a member of "${tenant.slug}" already.`, { kind: "member" });
  if (former.length > 0) {
    // The data of the former membership must be removed before there is a new one, or it would apply to that again.
    afterMemberLeft(app, whose);
    throw new ServiceError("conflict", "Your former membership is just being ended: try again in a moment.", {
      kind: "member",
    });
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
  flushEvents(app, app.storage.invitations, invitation._id, [event]);
}

/** Creates the membership of an accepted invitation unless it exists. The reconcile job repeats it after a crash. */
export async function createInvitedMembership(app: App, invitation: InvitationDoc): Promise<void> {
  const { tenants, users, teams, memberships } = app.storage;
  const { _id, tenantId, acceptedBy = "", role, teamIds, endedAt } = invitation;
  const [tenant, account, offered] = await Promise.all([
    tenants.find(tenantId),
    users.find(acceptedBy),
    teams.listByIds(teamIds),
  ]);
  if (!tenant || tenant.erasing || !account) return;
  try {
    await memberships.insert({
      _id,
      tenantId,
      tenantSlug: tenant.slug,
      tenantName: tenant.name,
      userId: account._id,
      ...memberNames(account),
      role,
      teamIds: offered.filter((team) => team.tenantId === tenantId).map((team) => team._id),
      createdAt: endedAt ?? app.now(),
      ...(role === ownerRole ? { enlisting: app.now(), unsettledAt: app.now() } : {}),
      tenantDeletionAt: tenant.deletionAt,
      tenantMaxTokenDays: tenant.maxTokenDays,
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return;
  }
  const made = await memberships.find(tenantId, account._id);
  if (made?.enlisting) await enlistOwner(app, made);
  // The fields that the row repeats may have changed between the read and the write.
  const now = await tenants.find(tenantId);
  if (now && now.updatedAt.getTime() !== tenant.updatedAt.getTime()) await propagateTenant(app, now);
  await propagateUser(app, account);
  afterMemberJoined(app, tenantId);
}

/** Queues the creation of a new member's workspace. The reconcile job does it as well. */
function afterMemberJoined(app: App, tenantId: string): void {
  app.background("queue what a new member gets", () =>
    app.queue.enqueue("workspaces.sync", { tenantId }, { jobId: tenantId }),
  );
}
