/** Share slots of an anonymous identity: at most `limits.anonymousShares`, also under concurrency. */
import { retryLost } from "../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../contract/limits.ts";
import { retryIdempotent } from "../../../storage/database.ts";
import type { AnonymousKeyActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, unauthenticated } from "../../errors.ts";
import { freeSlug } from "../publish/slug.ts";

/** Attempts to choose a slug that concurrent shares may take. At most as many shares can succeed as there are slots. */
const attempts = 3 * limits.anonymousShares;

/** Reserves a slot for a skill that is about to be created, and returns its slug. Throws `limit_reached`. */
export async function reserveShareSlot(
  app: App,
  { identityId }: AnonymousKeyActor,
  skillId: string,
  base: string,
): Promise<string> {
  const { anonymousIdentities } = app.storage;
  const most = limits.anonymousShares;
  const exhausted = () => new ServiceError("conflict", "Many share by this identity at once: try again.");
  return retryLost({ attempts, exhausted }, async () => {
    const identity = await anonymousIdentities.find(identityId);
    if (!identity) throw unauthenticated("The key that signed this call is no longer registered.");
    // The response to an earlier attempt was lost.
    const reserved = identity.shares.find((slot) => slot.skillId === skillId);
    if (reserved) return reserved.slug;
    if (identity.shares.length >= most) throw limitReached();
    const taken = identity.shares.map((slot) => slot.slug);
    const slot = { skillId, slug: freeSlug(base, taken), reservedAt: app.now() };
    const isReserved = await retryIdempotent(() => anonymousIdentities.reserveSlot(identityId, slot, most));
    return isReserved && slot.slug;
  });
}

function limitReached(): ServiceError {
  const most = limits.anonymousShares;
  return new ServiceError(
    "limit_reached",
    `This anonymous identity shares ${most} skills, the most there can be: delete one to share another.`,
    { kind: "skill", limit: most, reason: "shares" },
  );
}

/**
 * Confirms the slot of a skill that exists now. A share that took so long that its slot was released reserves another
 * one; returns false if there is none.
 */
export async function confirmShareSlot(
  app: App,
  identityId: string,
  skill: { _id: string; slug: string },
): Promise<boolean> {
  const { anonymousIdentities } = app.storage;
  if (await retryIdempotent(() => anonymousIdentities.confirmSlot(identityId, skill._id))) return true;
  const slot = { skillId: skill._id, slug: skill.slug };
  return anonymousIdentities.reserveSlot(identityId, slot, limits.anonymousShares);
}

/**
 * Releases a slot and its slug. The path reservation is removed first, so that the next share with this slot finds the
 * slug free. After a failure, the job that erases the skill or the reconcile job releases the slot.
 */
export async function releaseShareSlot(app: App, identityId: string, skillId: string): Promise<void> {
  try {
    await retryIdempotent(() => app.storage.pathReservations.releaseAllOf(skillId));
    await retryIdempotent(() => app.storage.anonymousIdentities.releaseSlot(identityId, skillId, app.now()));
  } catch (error) {
    app.log.warn({ error, skillId }, "a share slot could not be released yet");
  }
}
