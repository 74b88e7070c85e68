/** The end of a sign-in: membership, teams, session and log of a person whose account is known. */
import type { SignInMethod, SsoProof } from "../../../storage/credentials/sessions.ts";
import { isId } from "../../../storage/database.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Actor } from "../../access/actor.ts";
import { ownerRole } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { flushEvents } from "../../audit/events.ts";
import { completeSignIn, type SignedIn } from "../../auth/sign-in.ts";
import type { RequestInfo } from "../../http/route.ts";
import { createMembership } from "../../orgs/members/create-membership.ts";
import { endMembership } from "../../orgs/members/leave.ts";
import { onMember } from "../../orgs/members/members.ts";
import { linkProvisioned } from "../../orgs/provisioned.ts";
import { personEvent } from "./events.ts";
import { SignInRefused } from "./failure.ts";
import { groupsNote, reportOverage } from "./groups.ts";
import { logSignIn } from "./log.ts";
import { deactivated } from "./match.ts";
import { teamChange } from "./teams.ts";

export interface Entering {
  provider: SsoProviderDoc;
  tenant: TenantDoc;
  subject: SsoSubject;
  account: Account;
  /** The membership as it was found. */
  member: MembershipDoc | null;
  /** The open invitation, which decides about the membership. */
  invitationId: string | undefined;
}

/** Signs a matched person in. Throws `SignInRefused`. */
export async function enter(
  app: App,
  actor: Actor,
  request: RequestInfo,
  entering: Entering,
): Promise<SignedIn> {
  const { provider, account, subject } = entering;
  const { tenantId } = provider;
  const isInvited = entering.invitationId !== undefined;
  const at = app.now();
  const [user] = await Promise.all([
    app.storage.users.findCredentialsById(account._id),
    isInvited ? undefined : recordSignIn(app, actor, entering, at),
  ]);
  if (!user) throw new SignInRefused("account", "The account is being deleted.");
  if (user.suspended) throw new SignInRefused("suspended", "The account was suspended.");
  const { methods, ...session } = sessionAfter(actor, user, { tenantId, providerId: provider._id, at });
  // Without a membership, the session has the event.
  const events = isInvited ? [signInEvent(app, actor, entering)] : [];
  const record = async () => {
    await Promise.all([
      app.storage.ssoProviders.noteSuccess(provider._id, provider.epoch, at, true),
      logSignIn(app, provider, {
        outcome: "signed_in",
        subject: subject.subject,
        ...(subject.email ? { email: subject.email } : {}),
        userId: user._id,
        ...groupsNote(subject),
      }),
    ]);
    if (subject.groupsProblem === "overage")
      app.background("report too many groups", () => reportOverage(app, provider, entering.tenant));
  };
  const additions = { ...session, events, enteredId: tenantId, record };
  return completeSignIn(app, user, actor, request, methods, additions);
}

/**
 * The proofs of the new session. It keeps those of a session of the same account, which it replaces. Only an account
 * without credentials of its own counts as verified through the provider outside of its organization.
 */
function sessionAfter(
  actor: Actor,
  user: Pick<Account, "_id" | "hasFactor" | "passwordless">,
  proof: SsoProof,
): { methods: SignInMethod[]; sso: SsoProof[]; verifiedAt: Date | undefined } {
  const previous =
    actor.kind === "user" && actor.userId === user._id && actor.via.kind === "session"
      ? actor.via
      : undefined;
  const hasOwn = user.hasFactor === true || user.passwordless !== true;
  const others = previous?.sso?.filter(({ tenantId }) => tenantId !== proof.tenantId) ?? [];
  return {
    methods: [...new Set<SignInMethod>([...(previous?.methods ?? []), "sso"])],
    sso: [...others, proof],
    verifiedAt: hasOwn ? previous?.verifiedAt : proof.at,
  };
}

/**
 * Makes the person a member, with the teams of their groups. True if the membership has the record of the sign-in, and
 * false if a concurrent one has made it.
 */
async function join(app: App, actor: Actor, entering: Entering, at: Date): Promise<boolean> {
  const { provider, tenant, account } = entering;
  const { tenantId } = provider;
  const { _id: userId, emailKey } = account;
  const { memberships, scimUsers } = app.storage;
  const role = await usableRole(app, provider);
  const provisioned = await linkProvisioned(app, tenantId, { emailKey, userId });
  const teamIds = provisioned?.teamIds ?? [];
  const synced = await syncTeams(app, actor, entering, { teamIds });
  const metadata = { username: account.username, role };
  const event = personEvent(app, account, actor.origin, "organization.member_joined", provider, metadata);
  const id = app.newId();
  const member = {
    id,
    tenantId,
    userId,
    role,
    teamIds: synced.teamIds ?? teamIds,
    createdAt: app.now(),
    sso: { providerId: provider._id, at },
    events: [event, signInEvent(app, actor, entering), ...synced.events],
  };
  await createMembership(app, member, { tenant, account });
  // SCIM ends the membership that it finds when it deactivates a person: this one may have begun after that.
  const [isDeactivated, made] = await Promise.all([
    scimUsers.isDeactivated(tenantId, { userId, emailKey }),
    memberships.find(tenantId, userId),
  ]);
  if (isDeactivated) {
    await endMembership(app, tenantId, userId, () => undefined);
    throw deactivated();
  }
  if (!made) throw new SignInRefused("concurrent", "The membership was ended concurrently: try again.");
  return made._id === id;
}

/** The role of new members. A custom role that was deleted would give nothing, and is refused. */
async function usableRole(app: App, { jit, tenantId }: SsoProviderDoc): Promise<string> {
  const [custom] = isId(jit.role) ? await app.storage.roles.listByIds([jit.role]) : [];
  const isUsable = isId(jit.role) ? custom?.tenantId === tenantId : jit.role !== ownerRole;
  if (isUsable) return jit.role;
  throw new SignInRefused("role", "The role of new members was deleted: choose another at the provider.");
}

function signInEvent(app: App, actor: Actor, { provider, account }: Entering): EventRow {
  const metadata = { username: account.username };
  return personEvent(app, account, actor.origin, "sso.login_success", provider, metadata);
}

/** The teams of a member after a sign-in, if they change, with the event of the change. */
async function syncTeams(
  app: App,
  actor: Actor,
  { provider, account, subject }: Entering,
  member: Pick<MembershipDoc, "teamIds">,
): Promise<{ teamIds?: string[]; events: EventRow[] }> {
  const { added, removed, names } = await teamChange(app, provider, subject, member);
  if (added.length === 0 && removed.length === 0) return { events: [] };
  const named = (ids: string[]) => ids.map((id) => ({ id, name: names.get(id) ?? id }));
  const metadata = { username: account.username, added: named(added), removed: named(removed) };
  return {
    teamIds: [...member.teamIds.filter((id) => !removed.includes(id)), ...added],
    events: [personEvent(app, account, actor.origin, "sso.team_sync", provider, metadata)],
  };
}

/** Records the sign-in with the membership, which it creates for a person without one. */
async function recordSignIn(app: App, actor: Actor, entering: Entering, at: Date): Promise<void> {
  const isRecorded = !entering.member && (await join(app, actor, entering, at));
  if (!isRecorded) await changeMember(app, actor, entering, at);
}

/** Records the sign-in with an existing membership, and changes its teams in the same write. */
async function changeMember(app: App, actor: Actor, entering: Entering, at: Date): Promise<void> {
  const { provider, account } = entering;
  const { memberships } = app.storage;
  const record = async (member: MembershipDoc) => {
    const { events: synced, ...teams } = await syncTeams(app, actor, entering, member);
    const events = [signInEvent(app, actor, entering), ...synced];
    const changed = await memberships.change(member._id, {
      revision: member.revision,
      set: { sso: { providerId: provider._id, at }, ...teams },
      events,
    });
    if (!changed) return undefined;
    flushEvents(app, memberships, member._id, events);
    return changed;
  };
  await onMember(app, provider.tenantId, account._id, record, entering.member);
}
