/** The end of a sign-in: membership, teams, session and log of a person whose account is known. */
import { ownerRole } from "../../access/permissions.ts";
import { isId } from "../../../storage/database.ts";
import type { MembershipDoc } from "../../../storage/memberships.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SignInMethod, SsoProof } from "../../../storage/sessions.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { TenantDoc } from "../../../storage/tenants.ts";
import type { Account } from "../../../storage/users.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents } from "../../audit/events.ts";
import { completeSignIn, type SignedIn } from "../../auth/sign-in.ts";
import type { RequestInfo } from "../../http/route.ts";
import { createMembership } from "../../orgs/create-membership.ts";
import { endMembership } from "../../orgs/leave.ts";
import { onMember } from "../../orgs/members.ts";
import { personEvent } from "./events.ts";
import { SignInRefused } from "./failure.ts";
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
  const isInvited = entering.invitationId !== undefined;
  if (!entering.member && !isInvited) await join(app, actor, entering);
  const at = app.now();
  const [user] = await Promise.all([
    app.storage.users.findCredentialsById(account._id),
    isInvited ? undefined : recordMember(app, actor, entering, at),
  ]);
  if (!user) throw new SignInRefused("account", "The account is being deleted.");
  if (user.suspended) throw new SignInRefused("suspended", "The account was suspended.");
  const proof = { tenantId: provider.tenantId, providerId: provider._id, at };
  const { methods, ...session } = sessionAfter(actor, user, proof);
  // Without a membership, the session has the event.
  const events = isInvited ? [signInEvent(app, actor, entering)] : [];
  const signedIn = await completeSignIn(app, user, actor, request, methods, { ...session, events });
  await Promise.all([
    app.storage.ssoProviders.noteSuccess(provider._id, provider.epoch, at, true),
    logSignIn(app, provider, {
      outcome: "signed_in",
      subject: subject.subject,
      ...(subject.email ? { email: subject.email } : {}),
      userId: user._id,
    }),
  ]);
  return signedIn;
}

/**
 * The proofs of the new session. It keeps those of a session of the same account, which it replaces. Only an account
 * without credentials of its own counts as verified by the provider outside of its organization.
 */
function sessionAfter(
  actor: Actor,
  user: Pick<Account, "_id" | "hasFactor" | "passwordless">,
  proof: SsoProof,
): { methods: SignInMethod[]; sso: SsoProof[]; verifiedAt: Date | undefined } {
  const former =
    actor.kind === "user" && actor.userId === user._id && actor.via.kind === "session"
      ? actor.via
      : undefined;
  const hasOwn = user.hasFactor === true || user.passwordless !== true;
  const others = former?.sso?.filter(({ tenantId }) => tenantId !== proof.tenantId) ?? [];
  return {
    methods: [...new Set<SignInMethod>([...(former?.methods ?? []), "sso"])],
    sso: [...others, proof],
    verifiedAt: hasOwn ? former?.verifiedAt : proof.at,
  };
}

async function join(app: App, actor: Actor, { provider, account }: Entering): Promise<void> {
  const { tenantId } = provider;
  const { _id: userId, emailKey } = account;
  const { memberships, scimUsers } = app.storage;
  const role = await usableRole(app, provider);
  const provisioned = await scimUsers.findOfAccount(tenantId, userId);
  const event = personEvent(app, account, actor.origin, "organization.member_joined", provider, {
    username: account.username,
    role,
  });
  await createMembership(app, {
    id: app.newId(),
    tenantId,
    userId,
    role,
    teamIds: provisioned?.teamIds ?? [],
    createdAt: app.now(),
    events: [event],
  });
  // SCIM ends the membership that it finds when it deactivates a person: this one may have begun after that.
  if (await scimUsers.isDeactivated(tenantId, { userId, emailKey })) {
    await endMembership(app, tenantId, userId, () => undefined);
    throw deactivated();
  }
  if (!(await memberships.find(tenantId, userId)))
    throw new SignInRefused("concurrent", "The membership was ended concurrently: try again.");
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

/** Records the sign-in with the membership, and changes its teams in the same write. */
async function recordMember(app: App, actor: Actor, entering: Entering, at: Date): Promise<void> {
  const { provider, account, subject } = entering;
  const { memberships } = app.storage;
  const record = async (member: MembershipDoc) => {
    const { added, removed, names } = await teamChange(app, provider, subject.groups, member);
    const isChanged = added.length > 0 || removed.length > 0;
    const named = (ids: string[]) => ids.map((id) => ({ id, name: names.get(id) ?? id }));
    const metadata = { username: account.username, added: named(added), removed: named(removed) };
    const events = [
      signInEvent(app, actor, entering),
      ...(isChanged ? [personEvent(app, account, actor.origin, "sso.team_sync", provider, metadata)] : []),
    ];
    const fields = {
      sso: { providerId: provider._id, at },
      ...(isChanged ? { teamIds: [...member.teamIds.filter((id) => !removed.includes(id)), ...added] } : {}),
    };
    const changed = await memberships.change(member._id, member.revision, fields, events);
    if (!changed) return undefined;
    flushEvents(app, memberships, member._id, events);
    return changed;
  };
  await onMember(app, provider.tenantId, account._id, record, entering.member);
}
