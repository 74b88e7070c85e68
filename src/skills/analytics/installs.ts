/**
 * Members who have a skill installed, and where. Reported by clients; stored only for members of the skill's
 * organization, and only during their membership.
 */
import { limits } from "../../../contract/limits.ts";
import type { RecordedInstallPayload } from "../../../contract/payloads/usage/analytics.ts";
import { isId } from "../../../storage/database.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { InstallKey } from "../../../storage/usage/installs.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { invalidRequest } from "../../errors.ts";
import { loadAccessContexts } from "../../folders/load.ts";
import { loadSkill } from "../load.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readRange, readSelector } from "../versions/semver.ts";
import type { InstallPlace, RecordInstall } from "./schema.ts";

/** Records that the caller has a version installed. Throws `not_found` for a missing version. */
export async function recordInstall(
  app: App,
  actor: Actor,
  ref: string,
  input: RecordInstall,
): Promise<RecordedInstallPayload> {
  const skill = await loadSkill(app, actor, ref, "skill:read");
  const selector = readSelector(String(input.version));
  if (selector.kind !== "number" && selector.kind !== "exact")
    throw invalidRequest('"version" must be the version that is installed: its number, or its exact semver.');
  if (input.range !== undefined) readRange(input.range);
  const version = await selectVersion(app, skill, selector);
  const member = await memberOf(app, actor, skill);
  if (!member) return { recorded: false };

  const { installs, memberships, skills } = app.storage;
  const now = app.now();
  const { platform, scope, machine } = input;
  const key: InstallKey = { skillId: skill._id, userId: member.userId, machine, platform, scope };
  const known = await installs.find(key);
  if (known?.version !== version.version) await markDay(app, skill.tenantId, [skill._id], now);
  const isNew = await installs.put({
    _id: app.newId(),
    tenantId: skill.tenantId,
    ...key,
    version: version.version,
    semver: version.semver,
    range: input.range?.trim(),
    installedAt: now,
    updatedAt: now,
  });
  if (isNew) {
    await installs.keepLatest(skill._id, member.userId, limits.installsPerSkill);
    // A member or skill that was removed concurrently has been cleaned up already.
    const [stillIn, stillThere] = await Promise.all([
      memberships.find(skill.tenantId, member.userId),
      skills.find(skill._id),
    ]);
    if (!stillIn || !stillThere) {
      await installs.remove(key);
      return { recorded: false };
    }
  }
  return { recorded: true };
}

/** The caller, if they may read the skill as a member of its organization. */
async function memberOf(app: App, actor: Actor, skill: SkillDoc): Promise<UserActor | undefined> {
  if (actor.kind !== "user") return undefined;
  const [context] = await loadAccessContexts(app, actor, [skill]);
  return isAllowedIn(actor, "skill:read", skill.tenantId, context ?? null) ? actor : undefined;
}

/** Marks the current day of skills of an organization: it is counted once it is over. */
async function markDay(app: App, tenantId: string, skillIds: readonly string[], now: Date): Promise<void> {
  const skills = skillIds.map((skillId) => ({ _id: app.newId(), tenantId, skillId }));
  await app.storage.installDays.mark(skills, now);
}

async function removeInstall(app: App, key: InstallKey): Promise<void> {
  const { installs } = app.storage;
  const known = await installs.find(key);
  if (!known) return;
  await markDay(app, known.tenantId, [known.skillId], app.now());
  await installs.remove(key);
}

/**
 * Removes the record. For a skill that the caller may not see any more, it is removed too, and the skill is reported as
 * not found.
 */
export async function forgetInstall(app: App, actor: Actor, ref: string, place: InstallPlace): Promise<void> {
  if (actor.kind === "user") {
    const skillId = isId(ref) ? ref : (await app.storage.skills.findByPublicId(ref))?._id;
    if (skillId !== undefined) await removeInstall(app, { skillId, userId: actor.userId, ...place });
  }
  const skill = await loadSkill(app, actor, ref, "skill:read");
  if (actor.kind === "user") await removeInstall(app, { skillId: skill._id, userId: actor.userId, ...place });
}

const slice = 100;

/** Removes the installs of a former member. Idempotent. */
export async function removeInstallsOfMember(app: App, tenantId: string, userId: string): Promise<void> {
  const { installs } = app.storage;
  for (;;) {
    const rows = await installs.listOfMember(tenantId, userId, undefined, slice);
    if (rows.length === 0) return;
    await markDay(app, tenantId, [...new Set(rows.map(({ skillId }) => skillId))], app.now());
    await installs.removeAll(rows.map(({ _id }) => _id));
  }
}
