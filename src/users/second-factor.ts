/**
 * The second factor that an organization requires. `userActor` withholds the memberships of an account without one, so
 * that on every surface its user is a stranger there; the other functions explain that to them.
 */
import type { Account } from "../../storage/users.ts";
import type { Actor, Membership, UserActor } from "../access/actor.ts";
import { ServiceError } from "../errors.ts";

/** Splits memberships into those that count, and those that a missing factor withholds. */
export function withoutUnproved(
  user: Pick<Account, "hasFactor">,
  memberships: readonly Membership[],
  now: Date,
): Pick<UserActor, "memberships" | "withheld"> {
  if (user.hasFactor || !memberships.some((one) => isEnforced(one, now))) return { memberships };
  const withheld = memberships.filter((one) => isEnforced(one, now));
  return { memberships: memberships.filter((one) => !isEnforced(one, now)), withheld };
}

const isEnforced = ({ factorFrom }: Membership, now: Date) => factorFrom !== undefined && factorFrom <= now;

/** The withheld membership in an organization, by its id or slug. */
export function withheldIn(actor: Actor, tenant: string | undefined): Membership | undefined {
  if (actor.kind !== "user") return undefined;
  return actor.withheld?.find(({ tenantId, tenantSlug }) => tenantId === tenant || tenantSlug === tenant);
}

/** The user as if they had a factor: to leave an organization, and to learn what is withheld. */
export function withWithheld(actor: Actor): Actor {
  if (actor.kind !== "user" || !actor.withheld) return actor;
  const { withheld, ...rest } = actor;
  return { ...rest, memberships: [...rest.memberships, ...withheld] };
}

interface Requiring {
  tenantId: string;
  tenantSlug: string;
  tenantName: string;
}

export function mfaRequired({ tenantId, tenantSlug, tenantName }: Requiring): ServiceError {
  return new ServiceError(
    "mfa_required",
    `"${tenantSlug}" requires a second factor, which your account does not have. Add a passkey or an authenticator ` +
      "app in Settings, Security (/settings/security), or leave the organization.",
    {
      kind: "team",
      ref: tenantSlug,
      organization: { id: tenantId, slug: tenantSlug, name: tenantName },
      remedy: "/settings/security",
    },
  );
}

/** Throws `mfa_required` if a missing factor is why the caller finds nothing in an organization. */
export function refuseUnproved(actor: Actor, tenant: string | undefined): void {
  const membership = withheldIn(actor, tenant);
  if (membership) throw mfaRequired(membership);
}
