/**
 * The account of a person at a provider. The subject is compared first. An address leads to an existing account only if
 * its domain is verified for the organization and the account has confirmed it, and then its owner has to sign in to
 * the account once. The exception are accounts that the organization's own provider has created, as long as they have
 * no credentials of their own: they have no other owner who could confirm.
 */
import { limits } from "../../../contract/limits.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { TenantDoc } from "../../../storage/organizations/tenants.ts";
import type { SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { App } from "../../app.ts";
import { domainOfAddress } from "../../users/email-domain.ts";
import { foldName } from "../../users/schema.ts";
import { SignInRefused } from "./failure.ts";

export type Match =
  /** A known person. */
  | ({ kind: "known"; account: Account } & Admission)
  /** An account that the organization's provider has created, for a subject that is not recorded yet. */
  | ({ kind: "own"; account: Account } & Admission)
  /** An account that its owner has to confirm. */
  | ({ kind: "link"; account: Account } & Admission)
  /** A new person. */
  | ({ kind: "new" } & Admission);

/** The membership, or how it begins: the provider creates it, or the person accepts an open invitation. */
interface Admission {
  member: MembershipDoc | null;
  /** The open invitation. */
  invitationId?: string;
}

/** Decides without a change. Throws `SignInRefused`. */
export async function matchPerson(
  app: App,
  provider: SsoProviderDoc,
  tenant: TenantDoc,
  subject: SsoSubject,
): Promise<Match> {
  const { account, member: known } =
    (await app.storage.ssoLookups.findPerson(provider._id, subject.subjectKey)) ?? {};
  if (account) {
    const admission = await admit(app, provider, account, known);
    // The previous owner of an address in the domain may have left the organization.
    if (!admission.member) await requireOwnAddress(app, tenant, account);
    return { kind: "known", account, ...admission };
  }
  const emailKey = foldName(subject.email ?? "");
  const [holder] = await Promise.all([
    app.storage.users.findCredentials(emailKey),
    requireVerifiedDomain(app, tenant, subject.email ?? ""),
  ]);
  if (!holder) return { kind: "new", ...(await requireJoin(app, provider, { emailKey })) };
  if (!holder.emailVerifiedAt)
    throw new SignInRefused(
      "unconfirmed",
      "There is an account with this address, which it has not confirmed. A new password by mail (/forgot-password) confirms it.",
    );
  const member = await app.storage.memberships.find(provider.tenantId, holder._id);
  const admission = await admit(app, provider, holder, member);
  const kind = isOwnCreation(tenant._id, holder) ? "own" : "link";
  return { kind, account: holder, ...admission };
}

/** Whether an account was created by the organization's provider, and has no credentials of its own. */
const isOwnCreation = (tenantId: string, account: Account) =>
  account.passwordless === true && !account.hasFactor && account.provisionedBy === tenantId;

/** Throws `SignInRefused` for a person who may not be or become a member. */
async function admit(
  app: App,
  provider: SsoProviderDoc,
  account: Account,
  member: MembershipDoc | null | undefined,
): Promise<Admission> {
  if (account.suspended)
    throw new SignInRefused("suspended", "The account was suspended by an administrator of this service.");
  if (member) return { member };
  return requireJoin(app, provider, { emailKey: account.emailKey, account });
}

/** The error for a person whom SCIM has deactivated. */
export const deactivated = () =>
  new SignInRefused(
    "deactivated",
    "The person is deactivated through SCIM: activate them at the identity provider, or invite them.",
  );

interface Joining {
  emailKey: string;
  account?: Account;
}

/** An invitation may give another role and teams, so the person is left to accept it. */
async function requireJoin(
  app: App,
  { tenantId, jit }: SsoProviderDoc,
  { emailKey, account }: Joining,
): Promise<Admission> {
  const { invitations, memberships, scimUsers, formerMembers } = app.storage;
  const userId = account?._id;
  const [pending, isDeactivated, members] = await Promise.all([
    invitations.findPending(tenantId, emailKey),
    scimUsers.isDeactivated(tenantId, { userId, emailKey }),
    memberships.count(tenantId),
  ]);
  if (pending && pending.expiresAt > app.now()) return { member: null, invitationId: pending._id };
  if (isDeactivated) throw deactivated();
  if (!jit.enabled)
    throw new SignInRefused(
      "not-a-member",
      "The person is not a member, and the provider does not create members: invite them, or switch provisioning on.",
    );
  if (members >= limits.membersPerOrganization)
    throw new SignInRefused(
      "limit",
      `The organization has ${limits.membersPerOrganization} members, the limit.`,
    );
  const joins = { member: null };
  if (userId === undefined) return joins;
  // The row of a previous membership is written before the ended one is removed, so it is looked up after that.
  if ((await memberships.listRemoved({ tenantId, userId }, app.now(), 1)).length > 0)
    throw new SignInRefused("leaving", "A previous membership is just being ended: try again in a moment.");
  if (await formerMembers.has(tenantId, userId))
    throw new SignInRefused("former-member", "The person has left or was removed: invite them to return.");
  if ((await memberships.listOfUser(userId)).length >= limits.organizationsPerUser)
    throw new SignInRefused(
      "limit",
      `The person is in ${limits.organizationsPerUser} organizations, the limit.`,
    );
  return joins;
}

async function requireOwnAddress(app: App, tenant: TenantDoc, account: Account): Promise<void> {
  if (!account.emailVerifiedAt)
    throw new SignInRefused("unconfirmed", "The account has not confirmed its address.");
  await requireVerifiedDomain(app, tenant, account.email);
}

async function requireVerifiedDomain(app: App, tenant: TenantDoc, email: string): Promise<void> {
  const domain = domainOfAddress(email);
  if (domain !== undefined && (await app.storage.ssoDomains.isVerifiedFor(tenant._id, domain))) return;
  throw new SignInRefused(
    "domain",
    `The organization has not verified the domain of the address (${domain ?? "none"}): verify it in Domains.`,
  );
}
