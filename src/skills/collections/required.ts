/** Collections that a member has to install, of all of their organizations. */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { limits } from "../../../contract/limits.ts";
import type { RequiredCollectionPayload } from "../../../contract/payloads/skills/collections.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { requireUser } from "../../users/load.ts";
import { keepReadable } from "./load.ts";
import { readMembers } from "./members.ts";

const concurrency = 4;

/** Those that are required for the caller's teams, or for everyone, as far as the caller may read them. */
export async function listRequired(app: App, actor: Actor): Promise<RequiredCollectionPayload[]> {
  const { memberships } = requireUser(actor);
  const found = await app.storage.skillCollections.listRequired(
    memberships.map(({ tenantId }) => tenantId),
    memberships.flatMap(({ teamIds }) => teamIds),
    limits.requiredCollections,
  );
  const readable = await keepReadable(app, actor, found);
  return mapLimit(readable, concurrency, async ({ collection }) => {
    const skills = await readMembers(app, actor, collection);
    return {
      tenantSlug: memberships.find(({ tenantId }) => tenantId === collection.tenantId)!.tenantSlug,
      slug: collection.slug,
      name: collection.name,
      skills: skills.map(({ _id, publicId, slug, tenantSlug, name, type }) => ({
        id: _id,
        publicId,
        slug,
        tenantSlug,
        name,
        type,
      })),
    };
  });
}
