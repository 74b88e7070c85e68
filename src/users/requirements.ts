/**
 * Requirements of organizations for their members: a second factor, or a sign-in through their identity provider.
 * `userActor` withholds the memberships of a caller who lacks it, so that on every surface they are a stranger there;
 * the other functions explain that to them.
 */
import { limits } from "../../contract/limits.ts";
import type { Account } from "../../storage/users/users.ts";
import type { Actor, MissingProof, Membership, UserActor, WithheldMembership } from "../access/actor.ts";
import { ownerRole } from "../access/permissions.ts";
import { ServiceError } from "../errors.ts";

type Person = Pick<Account, "hasFactor" | "passwordless">;
type Via = UserActor["via"];
/** The fields of an actual or possible membership that decide. */
type Requirements = Pick<Membership, "tenantId" | "role" | "factorFrom" | "ssoProviderIds" | "sso">;

/** Splits memberships into those that count, and those that a missing proof withholds. */
export function splitByRequirements(
  user: Person,
  memberships: readonly Membership[],
  via: Via,
  now: Date,
): Pick<UserActor, "memberships" | "withheld"> {
  const lacks = memberships.map((one) => missingProofIn(user, one, via, now));
  if (lacks.every((lack) => lack === undefined)) return { memberships };
  const withheld = memberships.flatMap((one, at) => (lacks[at] ? [withhold(user, one, lacks[at])] : []));
  return { memberships: memberships.filter((_, at) => !lacks[at]), withheld };
}

function withhold(user: Person, one: Membership, lack: MissingProof): WithheldMembership {
  if (lack !== "sso" || one.role !== ownerRole) return { ...one, lack };
  return { ...one, lack, ownFactor: user.hasFactor ? "present" : "missing" };
}

/**
 * The proof that an organization requires and a caller lacks.
 *
 * - An enforced provider: the session has to have passed it in the last seven days; a personal token works while its
 *   owner has signed in through it in the last 30. Owners can use their own second factor instead, in a session and for
 *   a day: `auth/break-glass.ts` records it.
 * - A sign-in through a provider of the organization counts as the second factor there.
 * - Acts on behalf of a member without a session, such as imports of a repository that they have connected, need none.
 * - A session that a provider has opened counts in the provider's organization only, until the person confirms it with
 *   credentials of their own. An account without any, which a provider has created, is exempt.
 */
export function missingProofIn(
  user: Person,
  member: Requirements,
  via: Via,
  now: Date,
): MissingProof | undefined {
  const { factorFrom } = member;
  const ssoProviderIds = isOnBehalf(via) ? [] : (member.ssoProviderIds ?? []);
  const passed = passedProvider(member, via, now);
  if (ssoProviderIds.length > 0) {
    if (passed !== undefined && ssoProviderIds.includes(passed)) return undefined;
    if (member.role !== ownerRole || !hasBrokenGlass(user, member, via, now)) return "sso";
  }
  if (passed !== undefined) return undefined;
  if (isConfined(user, via)) return user.hasFactor ? "confirm-factor" : "confirm-password";
  return factorFrom !== undefined && factorFrom <= now && !user.hasFactor ? "factor" : undefined;
}

const isOnBehalf = (via: Via) => via.kind === "session" && via.sso === undefined;

/** The provider of an organization by which the session, or the owner of the token, has signed in recently. */
function passedProvider({ tenantId, sso }: Requirements, via: Via, now: Date): string | undefined {
  const since = (ms: number) => now.getTime() - ms;
  if (via.kind === "session" && via.sso)
    return via.sso.find((one) => one.tenantId === tenantId && one.at.getTime() > since(limits.ssoSessionMs))
      ?.providerId;
  return sso && sso.at.getTime() > since(limits.ssoTokenMs) ? sso.providerId : undefined;
}

/** Whether an owner has recently used a second factor instead of the provider, in the session. */
function hasBrokenGlass(user: Person, { tenantId }: Requirements, via: Via, now: Date): boolean {
  if (via.kind !== "session" || !user.hasFactor) return false;
  const since = now.getTime() - limits.breakGlassMs;
  return via.breakGlass?.some((one) => one.tenantId === tenantId && one.at.getTime() > since) ?? false;
}

const factorMethods: readonly string[] = ["totp", "passkey", "recovery"];

/** Whether a second factor was verified in a session. */
export function hasPassedFactor(user: Person, via: Via): boolean {
  if (via.kind !== "session" || !user.hasFactor) return false;
  return via.methods?.some((method) => factorMethods.includes(method)) ?? false;
}

/** Whether a session was opened through a provider, and its account has credentials that were not used in it. */
export function isConfined(user: Person, via: Via): boolean {
  if (via.kind !== "session" || !via.methods?.includes("sso")) return false;
  const hasOwnCredentials = user.hasFactor === true || user.passwordless !== true;
  return hasOwnCredentials && via.methods.every((method) => method === "sso");
}

/** The withheld membership in an organization, by its id or slug. */
export function withheldIn(actor: Actor, tenant: string | undefined): WithheldMembership | undefined {
  if (actor.kind !== "user") return undefined;
  return actor.withheld?.find(({ tenantId, tenantSlug }) => tenantId === tenant || tenantSlug === tenant);
}

/** The user as if they lacked nothing: to leave an organization, and to learn what is withheld. */
export function includeWithheld(actor: Actor): Actor {
  if (actor.kind !== "user" || !actor.withheld) return actor;
  const { withheld, ...rest } = actor;
  return { ...rest, memberships: [...rest.memberships, ...withheld] };
}

type Requiring = Pick<WithheldMembership, "tenantId" | "tenantSlug" | "tenantName" | "lack" | "ownFactor">;

/** The error that explains a withheld membership: `mfa_required`, `sso_required` or `reauthentication_required`. */
export function proofRequired(requiring: Requiring): ServiceError {
  const { tenantId, tenantSlug, tenantName, lack, ownFactor } = requiring;
  const organization = { id: tenantId, slug: tenantSlug, name: tenantName };
  const details = { kind: "organization", ref: tenantSlug, organization } as const;
  if (lack === "sso") {
    const startUrl = `/sso/${tenantSlug}`;
    return new ServiceError(
      "sso_required",
      `"${tenantSlug}" requires a sign-in through its identity provider: open ${startUrl} in your browser. ` +
        "API tokens work again after it." +
        (ownFactor ? " As an owner, you can use your password and second factor instead." : ""),
      { ...details, startUrl, ownFactor },
    );
  }
  if (lack !== "factor")
    return new ServiceError(
      "reauthentication_required",
      `An identity provider has opened this session, which does not count in "${tenantSlug}". Confirm who you are ` +
        "with your own second factor or password: POST /api/auth/reauthenticate, or sign in again.",
      { ...details, proof: lack === "confirm-factor" ? "factor" : "password" },
    );
  return new ServiceError(
    "mfa_required",
    `"${tenantSlug}" requires a second factor, which your account does not have. Add a passkey or an authenticator ` +
      "app in Settings, Security (/settings/security), or leave the organization.",
    { ...details, remedy: "/settings/security" },
  );
}

/** Throws the error that explains why the caller finds nothing in an organization which withholds their membership. */
export function refuseUnproved(actor: Actor, tenant: string | undefined): void {
  const membership = withheldIn(actor, tenant);
  if (membership) throw proofRequired(membership);
}
