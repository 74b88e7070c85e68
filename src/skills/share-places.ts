/** The places of an anonymous identity's shares: at most `limits.anonymousShares`, however many share at once. */
import { limits } from "../../contract/limits.ts";
import { retryIdempotent } from "../../storage/database.ts";
import type { AnonymousKeyActor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, unauthenticated } from "../errors.ts";
import { freeSlug } from "./slug.ts";

/** How often a slug that another share took meanwhile is chosen anew. More can't succeed than there are places. */
const attempts = 3 * limits.anonymousShares;

/** Takes a place for a skill that is about to be made, and answers the slug that came with it. Throws `limit_reached`. */
export async function takeSharePlace(
  app: App,
  { identityId }: AnonymousKeyActor,
  skillId: string,
  base: string,
): Promise<string> {
  const { anonymousIdentities } = app.storage;
  const most = limits.anonymousShares;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const identity = await anonymousIdentities.find(identityId);
    if (!identity) throw unauthenticated("The key that signed this call is not known here any more.");
    // After an answer that got lost.
    const held = identity.shares.find((place) => place.skillId === skillId);
    if (held) return held.slug;
    if (identity.shares.length >= most) throw limitReached();
    const taken = identity.shares.map((place) => place.slug);
    const place = { skillId, slug: freeSlug(base, taken), reservedAt: app.now() };
    if (await retryIdempotent(() => anonymousIdentities.takePlace(identityId, place, most)))
      return place.slug;
  }
  throw new ServiceError("conflict", "Many share by this identity at once: try again.");
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
 * Keeps the place for a skill that is there now. A share that took so long that its place was given to others takes
 * another one; false when there is none.
 */
export async function keepSharePlace(
  app: App,
  identityId: string,
  skill: { _id: string; slug: string },
): Promise<boolean> {
  const { anonymousIdentities } = app.storage;
  if (await retryIdempotent(() => anonymousIdentities.confirmPlace(identityId, skill._id))) return true;
  const place = { skillId: skill._id, slug: skill.slug };
  return anonymousIdentities.takePlace(identityId, place, limits.anonymousShares);
}

/**
 * Gives a place back, its slug included. The row that holds the slug goes first: whoever gets the place finds the slug free.
 * What fails here is done by the job that erases the skill, or by the reconcile job.
 */
export async function freeSharePlace(app: App, identityId: string, skillId: string): Promise<void> {
  try {
    await retryIdempotent(() => app.storage.places.releaseAllOf(skillId));
    await retryIdempotent(() => app.storage.anonymousIdentities.freePlace(identityId, skillId, app.now()));
  } catch (error) {
    app.log.warn({ error, skillId }, "the place of a share could not be given back yet");
  }
}
