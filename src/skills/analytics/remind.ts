/**
 * Reminders to members whose installs of a skill are outdated. A reminder is a change that the person is shown, so it
 * follows their choice of mails, and the access is decided again whenever it is read or mailed.
 */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { limits } from "../../../contract/limits.ts";
import type { ReminderPayload } from "../../../contract/payloads/usage/reminder.ts";
import type { FollowedChangeDoc } from "../../../storage/following/changes.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { recordEvents } from "../../audit/fan-out.ts";
import { accessOf } from "../../folders/access/effective.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import { makeSkillEvent } from "../annotate.ts";
import { nextMailAt } from "../following/mail-time.ts";
import { authorizeSkill, loadSkill } from "../load.ts";
import { isOutdated } from "./list-installs.ts";

/** Maximum number of machines that a call reads. */
const maxMachines = 20_000;
const batchSize = 1000;
const writeConcurrency = 16;

interface Recipient {
  userId: string;
  /** Time of the mail; undefined for those who get none. */
  mailAt?: Date;
}

/**
 * Reminds the members who are behind, at most once in a week each, and at most 1,000 in a call. Requires `skill:update`
 * and `analytics:read`. A dry run only counts.
 */
export async function remindOutdated(
  app: App,
  actor: Actor,
  ref: string,
  { dryRun }: { dryRun: boolean },
): Promise<ReminderPayload> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  await authorizeSkill(app, actor, "analytics:read", skill, ref);
  const now = app.now();
  const { machines, isComplete } = await outdatedMachines(app, actor, skill);
  const readers = await keepReaders(app, actor, skill, [...machines.keys()]);
  const before = new Date(now.getTime() - limits.reminderMs);
  const recent = await app.storage.followedChanges.listReminded(skill._id, readers, before);
  const due = readers.filter((userId) => !recent.has(userId));
  const wanted = await withMailTimes(app, due.slice(0, limits.remindersPerCall), now);
  const claimed = dryRun ? wanted : await claim(app, actor, skill, wanted, { now, before });
  return {
    semver: skill.current.semver,
    people: claimed.length,
    machines: claimed.reduce((sum, { userId }) => sum + machines.get(userId)!, 0),
    mails: claimed.filter(({ mailAt }) => mailAt !== undefined).length,
    recent: recent.size,
    isComplete: isComplete && due.length <= limits.remindersPerCall,
  };
}

/** Machines with an outdated install by person, except the caller's own. */
async function outdatedMachines(app: App, actor: Actor, skill: SkillDoc) {
  const rows = await app.storage.installGroups.listMachines(skill._id, maxMachines);
  const machines = new Map<string, Set<string>>();
  for (const { userId, machine, ...row } of rows) {
    if (!isOutdated(row, skill) || (actor.kind === "user" && actor.userId === userId)) continue;
    machines.set(userId, (machines.get(userId) ?? new Set()).add(machine));
  }
  return {
    machines: new Map([...machines].map(([userId, names]) => [userId, names.size])),
    isComplete: rows.length < maxMachines,
  };
}

/** The people who may read the skill as members. */
async function keepReaders(app: App, actor: Actor, skill: SkillDoc, userIds: string[]): Promise<string[]> {
  const { _id: skillId, tenantId, folderId, takedown } = skill;
  const tree = await loadTree(app, tenantId);
  const target = {
    tree,
    folderId,
    subject: (context: Parameters<Parameters<typeof accessOf>[3]["subject"]>[0]) =>
      ({ skillId, tenantId, visibility: "private", isTakenDown: takedown !== undefined, context }) as const,
  };
  const readers: string[] = [];
  for (let at = 0; at < userIds.length; at += batchSize) {
    const rows = await app.storage.memberships.listDocuments(tenantId, userIds.slice(at, at + batchSize));
    const access = await accessOf(app, actor, rows, target);
    readers.push(...access.filter(({ can }) => can.includes("read")).map(({ principal }) => principal.id));
  }
  return readers.toSorted();
}

/** When each person gets a mail: never for those who unsubscribed or have no confirmed address. */
async function withMailTimes(app: App, userIds: string[], now: Date): Promise<Recipient[]> {
  const [accounts, settings] = await Promise.all([
    app.storage.users.listByIds(userIds),
    app.storage.followSettings.listByIds(userIds),
  ]);
  const byId = new Map(settings.map((one) => [one._id, one]));
  return accounts.map(({ _id: userId, emailVerifiedAt }) => ({
    userId,
    mailAt: emailVerifiedAt ? nextMailAt(byId.get(userId), now) : undefined,
  }));
}

/** Stores the reminders; of concurrent calls, one reminds a person. The event comes first, so that none is unlogged. */
async function claim(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  recipients: readonly Recipient[],
  { now, before }: { now: Date; before: Date },
): Promise<Recipient[]> {
  if (recipients.length === 0) return [];
  const { _id: skillId, tenantId, current } = skill;
  const event = makeSkillEvent(app, actor, "skill.reminder_sent", skill, {
    semver: current.semver,
    people: recipients.length,
  });
  await recordEvents(app, [event]);
  const stored = await mapLimit(recipients, writeConcurrency, ({ userId, mailAt }) => {
    const row: Omit<FollowedChangeDoc, "_id"> = {
      userId,
      tenantId,
      skillId,
      kind: "reminder",
      reason: "installed",
      semver: current.semver,
      by: event.actor.name,
      at: now,
      mailAt,
    };
    return app.storage.followedChanges.remind(row, before);
  });
  return recipients.filter((_, at) => stored[at]);
}
