/**
 * The maximum lifetime that an organization sets for API tokens. It is a limit of a token's age (`token-age.ts`): an
 * organization's token beyond it is refused, and a member's personal token no longer acts in that organization.
 */
import type { TokenDoc } from "../../storage/credentials/tokens.ts";
import type { UserActor } from "../access/actor.ts";
import { isTooOld, type Aged } from "../access/token-age.ts";
import { ServiceError } from "../errors.ts";

/** The age that a token inherits from the token that makes it; nothing where a session makes it. */
export function inheritedAge({ via }: UserActor): Pick<TokenDoc, "ageFrom"> {
  return via.kind === "token" && via.ageFrom ? { ageFrom: via.ageFrom } : {};
}

/** The holder of a personal token without the memberships that the token is too old for. */
export function withoutTooOld(
  actor: UserActor,
  via: Extract<UserActor["via"], { kind: "token" }>,
  token: Aged,
  now: Date,
): UserActor {
  const tooOldFor = actor.memberships.filter(({ maxTokenDays }) => isTooOld(token, maxTokenDays, now));
  if (tooOldFor.length === 0) return actor;
  const memberships = actor.memberships.filter((membership) => !tooOldFor.includes(membership));
  return { ...actor, memberships, via: { ...via, tooOldFor } };
}

/** Requires an expiry within the organization's maximum. Throws `refused`. */
export function requireWithinMaximum(
  organization: { slug: string; maxTokenDays?: number },
  expiresInDays: number | undefined,
): void {
  const { slug, maxTokenDays } = organization;
  if (maxTokenDays === undefined || (expiresInDays !== undefined && expiresInDays <= maxTokenDays)) return;
  const message =
    `"${slug}" accepts API tokens up to an age of ${maxTokenDays} days. ` +
    `Set "expiresInDays" to ${maxTokenDays} at most.`;
  throw new ServiceError("refused", message, { kind: "token", maxTokenDays });
}
