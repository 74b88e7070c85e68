/**
 * Takedowns by the service's administrators. A taken-down skill stays readable for members of its organization (for
 * what was shared anonymously: for its key), who see the reason; for everyone else it does not exist. The state is on
 * the skill and overrides its visibility, so that no version, visibility, name or folder changes it.
 */
import type { TakedownPayload } from "../../../contract/payloads/skills/moderation.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { makeEvent, makeSystemEvent } from "../../audit/events.ts";
import { serviceLog } from "../../audit/fan-out.ts";
import { notFound } from "../../errors.ts";
import { TimeCursor, decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { loadOpenSkill } from "../load.ts";
import { scheduleProjection } from "../projection-queue.ts";
import { listHashes } from "../versions/versions.ts";
import { mailTakedown } from "./takedown-mail.ts";

export type TakenDownSkill = SkillDoc & Required<Pick<SkillDoc, "takedown">>;

const isTakenDown = (skill: SkillDoc): skill is TakenDownSkill => skill.takedown !== undefined;

/** Keeps a public or unlisted skill from everyone but its own members. Repeating it changes nothing. */
export async function takeDownSkill(
  app: App,
  administrator: UserActor,
  publicId: string,
  reason: string,
): Promise<TakenDownSkill> {
  const present = await app.storage.skills.findByPublicId(publicId);
  if (present && isTakenDown(present)) return present;
  // Content that only members can read is out of an administrator's authority.
  const skill = await loadOpenSkill(app, administrator, publicId);
  const now = app.now();
  const by = { id: administrator.userId, username: administrator.username };
  const taken = await app.storage.takedowns.takeDown(
    skill._id,
    { reason, at: now, by },
    { kind: "taken-down", reason, since: now },
    eventsOf(app, administrator, "skill.taken_down", skill, reason),
  );
  if (!taken || !isTakenDown(taken)) throw notFound("skill", publicId);
  await followUp(app, taken);
  return taken;
}

/** Ends a takedown: the skill's own visibility counts again. */
export async function liftTakedown(
  app: App,
  administrator: UserActor,
  publicId: string,
  reason: string,
): Promise<void> {
  const skill = await app.storage.skills.findByPublicId(publicId);
  if (!skill?.takedown) throw notFound("skill", publicId);
  const lifted = await app.storage.takedowns.lift(
    skill._id,
    { kind: "lifted", reason, since: app.now() },
    eventsOf(app, administrator, "skill.takedown_lifted", skill, reason),
  );
  if (!lifted) throw notFound("skill", publicId);
  await followUp(app, lifted);
}

/** An entry for the service's log, and one for the organization's, which does not name the administrator. */
function eventsOf(
  app: App,
  administrator: UserActor,
  name: EventName,
  skill: SkillDoc,
  reason: string,
): EventRow[] {
  const { _id: resourceId, tenantId, tenantSlug, slug, publicId } = skill;
  const subject = {
    resourceType: "skill",
    resourceId,
    metadata: { publicId, slug, organization: tenantSlug, reason },
  } as const;
  return [
    makeEvent(app, administrator, name, { ...serviceLog, ...subject }),
    makeSystemEvent(app, name, { tenantId, ...subject }),
  ];
}

async function followUp(app: App, skill: SkillDoc): Promise<void> {
  scheduleProjection(app, skill._id);
  try {
    await finishTakedown(app, skill._id);
  } catch (error) {
    app.log.warn({ error, skillId: skill._id }, "a takedown is finished by the reconcile job");
  }
}

/** Follow-up of a takedown or its end: refused content, reports and mails. May run twice. */
export async function finishTakedown(app: App, skillId: string): Promise<void> {
  const skill = await app.storage.skills.find(skillId);
  if (!skill?.takedownFollowUp) return;
  const { takedown, takedownFollowUp } = skill;
  if (takedown) await refuseContent(app, skill, takedown.reason);
  else await app.storage.refusedContents.removeOfSkill(skillId);
  if (takedown) {
    const closed = { state: "resolved", closedBy: takedown.by, closedAt: takedown.at } as const;
    await app.storage.skillReports.closeOfSkill(skillId, { ...closed, note: takedown.reason });
  }
  await mailTakedown(app, skill, takedownFollowUp);
  await app.storage.takedowns.finishFollowUp(skillId, takedownFollowUp.since);
}

async function refuseContent(app: App, skill: SkillDoc, reason: string): Promise<void> {
  const { tenantId, _id: skillId } = skill;
  const hashes = await listHashes(app, skill);
  const createdAt = app.now();
  await app.storage.refusedContents.record(
    hashes.map((hash) => ({ tenantId, skillId, hash, reason, createdAt })),
  );
}

/** Skills that are taken down, the latest first. */
export async function listTakedowns(
  app: App,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<TakedownPayload>> {
  const after = decodeCursor(cursor, TimeCursor);
  const found = await app.storage.takedowns.list(after, limit + 1);
  const page = found.filter(isTakenDown).slice(0, limit);
  const end = page.at(-1);
  const next = found.length > limit && end ? encodeCursor([end.takedown.at.getTime(), end._id]) : null;
  return new Page(page.map(presentTakedown), next);
}

export function presentTakedown({
  takedown,
  publicId,
  slug,
  tenantSlug,
  name,
}: TakenDownSkill): TakedownPayload {
  const { reason, at, by } = takedown;
  return { skill: { publicId, slug, tenantSlug, name }, reason, by: by.username, at: at.toISOString() };
}
