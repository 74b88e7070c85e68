/**
 * Members who have a skill installed, and where. Reported by clients; stored only for members of the skill's
 * organization, and only during their membership.
 */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import type {
  OwnInstallPayload,
  RecordedInstallPayload,
  SkillInstallPayload,
} from "../../../contract/payloads/analytics.ts";
import { isId } from "../../../storage/database.ts";
import type { InstallCursor, InstallDoc, InstallKey } from "../../../storage/installs.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import { isAllowedIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { invalidRequest } from "../../errors.ts";
import { loadAccessContexts } from "../../folders/load.ts";
import { decodeCursor, encodeCursor } from "../../http/cursor.ts";
import { Page } from "../../http/route.ts";
import { requireUser } from "../../users/load.ts";
import { keepAllowed, loadSkill } from "../load.ts";
import { selectVersion } from "../select-version.ts";
import type { InstallPlace, ListInstalls, RecordInstall } from "./schema.ts";
import { exceeds, isPrerelease, readSelector } from "../semver.ts";

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
  const version = await selectVersion(app, skill, selector);
  const member = await memberOf(app, actor, skill);
  if (!member) return { recorded: false };

  const { installs, memberships, skills } = app.storage;
  const now = app.now();
  const { platform, scope, machine } = input;
  const key: InstallKey = { skillId: skill._id, userId: member.userId, machine, platform, scope };
  const isNew = await installs.put({
    _id: app.newId(),
    tenantId: skill.tenantId,
    ...key,
    version: version.version,
    semver: version.semver,
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
  const [place] = await loadAccessContexts(app, actor, [skill]);
  return isAllowedIn(actor, "skill:read", skill.tenantId, place ?? null) ? actor : undefined;
}

/**
 * Removes the record. For a skill that the caller may not see any more, it is removed too, and the skill is reported as
 * not found.
 */
export async function forgetInstall(app: App, actor: Actor, ref: string, place: InstallPlace): Promise<void> {
  const { installs, skills } = app.storage;
  if (actor.kind === "user") {
    const skillId = isId(ref) ? ref : (await skills.findByPublicId(ref))?._id;
    if (skillId !== undefined) await installs.remove({ skillId, userId: actor.userId, ...place });
  }
  const skill = await loadSkill(app, actor, ref, "skill:read");
  if (actor.kind === "user") await installs.remove({ skillId: skill._id, userId: actor.userId, ...place });
}

const Cursor = z.tuple([z.iso.datetime(), z.string().refine(isId)]);

/** Members who have the skill installed, latest report first. Requires `analytics:read`. */
export async function listSkillInstalls(
  app: App,
  actor: Actor,
  ref: string,
  query: ListInstalls,
): Promise<Page<SkillInstallPayload>> {
  const skill = await loadSkill(app, actor, ref, "analytics:read");
  const { installs, memberships, users } = app.storage;
  return pageOf(
    query,
    (after, limit) => installs.listOfSkill(skill._id, after, limit),
    async (rows) => {
      const ids = [...new Set(rows.map((row) => row.userId))];
      // Records of former members are about to be removed.
      const [members, people] = await Promise.all([
        memberships.listByUserIds(skill.tenantId, ids),
        users.listByIds(ids),
      ]);
      const byId = new Map(people.map((person) => [person._id, person]));
      const isMember = new Set(members.map((member) => member.userId));
      return rows.flatMap((row) => {
        const person = byId.get(row.userId);
        if (!person || !isMember.has(row.userId)) return [];
        const { _id: id, username, name } = person;
        return [{ row, item: { id: row._id, user: { id, username, name }, ...presentInstall(row, skill) } }];
      });
    },
  );
}

/** The caller's installs of their organizations' skills, latest report first. */
export async function listOwnInstalls(
  app: App,
  actor: Actor,
  query: ListInstalls,
): Promise<Page<OwnInstallPayload>> {
  const { userId } = requireUser(actor);
  const { installs, skills } = app.storage;
  return pageOf(
    query,
    (after, limit) => installs.listOfUser(userId, after, limit),
    async (rows) => {
      const found = await skills.listByIds([...new Set(rows.map((row) => row.skillId))]);
      const readable = await keepAllowed(app, actor, "skill:read", found);
      const byId = new Map(readable.map((skill) => [skill._id, skill]));
      return rows.flatMap((row) => {
        const skill = byId.get(row.skillId);
        if (!skill) return [];
        const { _id: id, publicId, slug, tenantSlug, name } = skill;
        const { machine } = row;
        const named = { id, publicId, slug, tenantSlug, name };
        return [{ row, item: { id: row._id, skill: named, machine, ...presentInstall(row, skill) } }];
      });
    },
  );
}

/** Removes the installs of a former member. Idempotent. */
export async function removeInstallsOfMember(app: App, tenantId: string, userId: string): Promise<void> {
  while ((await app.storage.installs.removeOfMember(tenantId, userId)) > 0);
}

/** A page of the visible rows, which is full unless it is the last one. */
async function pageOf<T>(
  query: ListInstalls,
  list: (after: InstallCursor | undefined, limit: number) => Promise<InstallDoc[]>,
  show: (rows: InstallDoc[]) => Promise<{ row: InstallDoc; item: T }[]>,
): Promise<Page<T>> {
  const last = decodeCursor(query.cursor, Cursor);
  let after = last && { updatedAt: new Date(last[0]), id: last[1] };
  const shown: { row: InstallDoc; item: T }[] = [];
  for (;;) {
    const wanted = query.limit + 1 - shown.length;
    const rows = await list(after, wanted);
    shown.push(...(await show(rows)));
    const end = rows.at(-1);
    if (!end || rows.length < wanted || shown.length > query.limit) break;
    after = { updatedAt: end.updatedAt, id: end._id };
  }
  const page = shown.slice(0, query.limit);
  const end = page.at(-1);
  const next =
    end && shown.length > page.length ? encodeCursor([end.row.updatedAt.toISOString(), end.row._id]) : null;
  return new Page(
    page.map(({ item }) => item),
    next,
  );
}

function presentInstall(row: InstallDoc, skill: SkillDoc) {
  const { platform, scope, version, semver } = row;
  return {
    platform,
    scope,
    version,
    semver,
    updateAvailable: isOutdated(row, skill),
    installedAt: row.installedAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** After a rollback too; a prerelease is outdated once the current version exceeds it. */
function isOutdated(row: InstallDoc, { current }: SkillDoc): boolean {
  return isPrerelease(row.semver) ? exceeds(current.semver, row.semver) : row.version !== current.version;
}
