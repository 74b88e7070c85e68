import type {
  CollectionDetailPayload,
  CollectionPayload,
} from "../../../contract/payloads/skills/collections.ts";
import type { Actor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { presentSkill } from "../present.ts";
import { mayUpdate, type SeenCollection } from "./load.ts";
import { hiddenFrom, readMembers } from "./members.ts";

export function presentCollection(actor: Actor, seen: SeenCollection, skillCount: number): CollectionPayload {
  const { collection } = seen;
  return {
    id: collection._id,
    slug: collection.slug,
    name: collection.name,
    description: collection.description,
    folderId: collection.folderId,
    public: collection.isPublic,
    requiredFor: collection.requiredFor ?? [],
    skillCount,
    canUpdate: mayUpdate(actor, seen),
    revision: collection.revision,
    createdAt: collection.createdAt.toISOString(),
    updatedAt: collection.updatedAt.toISOString(),
  };
}

/** With the skills that the caller may read. Those who may change it see who of its readers may not read one. */
export async function presentCollectionDetail(
  app: App,
  actor: Actor,
  seen: SeenCollection,
): Promise<CollectionDetailPayload> {
  const { collection } = seen;
  const skills = await readMembers(app, actor, collection);
  const hidden = mayUpdate(actor, seen) ? await hiddenFrom(app, collection, skills) : undefined;
  return {
    ...presentCollection(actor, seen, skills.length),
    skills: skills.map((skill) => ({
      ...presentSkill(skill, { isMember: isAllowedIn(actor, "skill:read", skill.tenantId, null, skill._id) }),
      hiddenFrom: hidden?.get(skill._id),
    })),
  };
}
