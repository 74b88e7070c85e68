/** Changes of a skill's document that its audit log names, each one write. */
import type { EventName } from "../../contract/vocabulary.ts";
import type { Patch } from "../../storage/change.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent, makeSystemEvent } from "../audit/events.ts";
import type { SeenSkill } from "./load.ts";
import { scheduleProjection } from "./projection-queue.ts";

/** An event about a skill, of an actor or of the service. */
export function makeSkillEvent(
  app: App,
  actor: Actor | "service",
  name: EventName,
  { _id: resourceId, tenantId, slug }: Pick<SkillDoc, "_id" | "tenantId" | "slug">,
  metadata: object = {},
): EventRow {
  const subject = { tenantId, resourceType: "skill", resourceId, metadata: { slug, ...metadata } } as const;
  return actor === "service" ? makeSystemEvent(app, name, subject) : makeEvent(app, actor, name, subject);
}

/** Returns the changed skill, or undefined if it has changed since it was read. */
export async function annotateSkill(
  app: App,
  skill: SeenSkill,
  fields: Patch<SkillDoc>,
  events: EventRow[],
): Promise<SeenSkill | undefined> {
  const updated = await app.storage.skills.annotate(skill._id, skill.revision, fields, events);
  if (!updated) return undefined;
  scheduleProjection(app, skill._id);
  return { ...updated, can: skill.can };
}
