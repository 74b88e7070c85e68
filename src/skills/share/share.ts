/**
 * Shares a skill without an account. It belongs to the identity, which is a tenant, and is always unlisted: anyone with
 * the link can read and install it, and no list shows it.
 *
 * The share slot is reserved before anything is written, and counts from then on. A crash leaves a slot without a
 * skill, which the reconcile job releases.
 */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import { actorKey, type Actor, type AnonymousKeyActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, forbidden, unauthenticated } from "../../errors.ts";
import { slugOfSkill } from "../../folders/tree/slug.ts";
import type { VersionSource } from "../publish/content/text-source.ts";
import { withVersionSource } from "../publish/content/version-source.ts";
import { createSkill } from "../publish/create-skill.ts";
import { chooseName } from "../publish/publish-skill.ts";
import { nameKeyOf } from "../publish/slug.ts";
import type { ShareSkill } from "../schema.ts";
import { removeSkill } from "../settings/settings.ts";
import { releaseShareSlot, confirmShareSlot, reserveShareSlot } from "./share-slots.ts";

export interface Shared {
  skill: SkillDoc;
  identity: AnonymousKeyActor;
  /** Set if the same content was shared under this name before, so that nothing was created. */
  unchanged: boolean;
  warnings: string[];
}

/** Creates an unlisted skill. Throws `limit_reached` if the identity has no free slot. */
export async function shareSkill(app: App, actor: Actor, input: ShareSkill): Promise<Shared> {
  const identity = requireIdentity(actor);
  await app.rateLimits.consume("share", actorKey(identity));
  const type = input.type ?? "skill";
  return withVersionSource(app, identity, input, type, async (source) => {
    const name = chooseName(input, source);
    const same = await findSame(app, identity, { name, type, source });
    if (same?.takedown)
      throw new ServiceError(
        "refused",
        `"${same.slug}" was taken down by an administrator of this service, and can't be shared again: ` +
          `${same.takedown.reason}.`,
        { kind: "skill", ref: same.slug },
      );
    if (same) {
      const warning = `You share this already, as "${same.slug}": nothing new was made.`;
      return { skill: same, identity, unchanged: true, warnings: [...source.warnings, warning] };
    }
    const { skill, warnings } = await makeShare(app, identity, source, { name, type });
    return { skill, identity, unchanged: false, warnings };
  });
}

async function makeShare(
  app: App,
  identity: AnonymousKeyActor,
  source: VersionSource,
  { name, type }: { name: string; type: SkillDoc["type"] },
): Promise<{ skill: SkillDoc; warnings: string[] }> {
  const { identityId } = identity;
  const id = app.newId();
  const slug = await reserveShareSlot(app, identity, id, slugOfSkill(name));
  const tenant = { _id: identityId, slug: identity.username };
  const facts = { id, name, type, slug, folderId: null, visibility: "unlisted" } as const;
  let made: Awaited<ReturnType<typeof createSkill>>;
  try {
    made = await createSkill(app, identity, tenant, source, facts);
  } catch (error) {
    await releaseShareSlot(app, identityId, id);
    throw error;
  }
  if (!made || made === "occupied") {
    await releaseShareSlot(app, identityId, id);
    throw new ServiceError("conflict", `"${slug}" is being released by another share: try again.`);
  }
  const { skill, warnings } = made;
  if (!(await confirmShareSlot(app, identityId, skill))) {
    const event = makeEvent(app, identity, "skill.deleted", {
      tenantId: identityId,
      resourceType: "skill",
      resourceId: id,
      metadata: { slug, name, versions: 1 },
    });
    await removeSkill(app, skill, event);
    throw new ServiceError(
      "conflict",
      `Sharing "${name}" took too long: another skill took its share slot. Share it again.`,
    );
  }
  return { skill, warnings };
}

/** Throws `unauthenticated` without a key, and `forbidden` for actors who can publish with an account. */
function requireIdentity(actor: Actor): AnonymousKeyActor {
  if (actor.kind === "anonymous-key") return actor;
  if (actor.kind === "anonymous")
    throw unauthenticated("Sharing is for anonymous identities: sign the call with a registered key.");
  throw forbidden("Sharing is for anonymous identities: publish the skill as unlisted instead.");
}

/** A skill that the identity shares under the same name with the same content. */
async function findSame(
  app: App,
  { identityId }: AnonymousKeyActor,
  { name, type, source }: { name: string; type: SkillDoc["type"]; source: VersionSource },
): Promise<SkillDoc | undefined> {
  const named = await app.storage.skills.listByName(identityId, nameKeyOf(name));
  for (const skill of named)
    if (skill.type === type && (await source.equals(skill.current, skill))) return skill;
  return undefined;
}
