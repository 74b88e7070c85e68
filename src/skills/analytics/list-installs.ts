/** Installs of a skill or of the caller, as far as the caller may see them. */
import type { OwnInstallPayload, SkillInstallPayload } from "../../../contract/payloads/usage/analytics.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { InstallDoc } from "../../../storage/usage/installs.ts";
import type { Actor, UserActor } from "../../access/actor.ts";
import { keepMembers, pageOfInstalls } from "../../analytics/install-lists.ts";
import type { App } from "../../app.ts";
import type { Page } from "../../http/route.ts";
import { requireUser } from "../../users/load.ts";
import { followedBy } from "../channels/channels.ts";
import { keepAllowed, loadSkill } from "../load.ts";
import { removalReason } from "../marks/marks.ts";
import { exceeds, isPrerelease } from "../versions/semver.ts";
import { idleTokens } from "./idle-tokens.ts";
import type { ListInstalls } from "./schema.ts";

/** Members who have the skill installed, latest report first. Requires `analytics:read`. */
export async function listSkillInstalls(
  app: App,
  actor: Actor,
  ref: string,
  query: ListInstalls,
): Promise<Page<SkillInstallPayload>> {
  const skill = await loadSkill(app, actor, ref, "analytics:read");
  return pageOfInstalls(
    query,
    (after, limit) => app.storage.installs.listOfSkill(skill._id, after, limit),
    async (rows) =>
      (await keepMembers(app, skill.tenantId, rows)).map(({ row, user }) => ({
        row,
        item: { id: row._id, user, ...presentInstall(row, skill) },
      })),
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
  return pageOfInstalls(
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
        const item = {
          id: row._id,
          skill: { id, publicId, slug, tenantSlug, name },
          machine: row.machine,
          idleTokens: idleTokens(skill),
          ...presentInstall(row, skill),
        };
        return [{ row, item }];
      });
    },
  );
}

type SkillVersions = Pick<SkillDoc, "channels" | "marks"> & {
  current: Pick<SkillDoc["current"], "version" | "semver">;
};

/** Latest installs of a user that are looked through for outdated ones. */
const maxLookedThrough = 500;

/**
 * The caller's installs in organizations that are outdated, or whose version should be removed, among their latest 500,
 * latest report first.
 */
export async function listOutdatedInstalls(
  app: App,
  actor: UserActor,
  tenantIds: readonly string[],
  limit: number,
): Promise<{ row: InstallDoc; skill: SkillDoc }[]> {
  const { installs, skills } = app.storage;
  const latest = await installs.listOfUser(actor.userId, undefined, maxLookedThrough);
  const rows = latest.filter(({ tenantId }) => tenantIds.includes(tenantId));
  const found = await skills.listByIds([...new Set(rows.map((row) => row.skillId))]);
  const outdated = rows.flatMap((row) => {
    const skill = found.find(({ _id }) => _id === row.skillId);
    const isListed = skill && (isOutdated(row, skill) || removalReason(skill, row.version) !== undefined);
    return isListed ? [{ row, skill }] : [];
  });
  const candidates = [...new Set(outdated.map(({ skill }) => skill))];
  const readable = new Set(await keepAllowed(app, actor, "skill:read", candidates));
  return outdated.filter(({ skill }) => readable.has(skill)).slice(0, limit);
}

/** The installed version of a report, and whether there is a newer one. */
export function presentInstall(row: InstallDoc, skill: SkillDoc) {
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

/**
 * After a rollback too; a prerelease is outdated once the current version exceeds it. An install that is pinned to a
 * channel is outdated if it has another version than the channel.
 */
export function isOutdated(
  row: Pick<InstallDoc, "version" | "semver" | "range">,
  skill: SkillVersions,
): boolean {
  const { current } = skill;
  const followed = followedBy(skill, row.range);
  if (followed !== current) return followed !== undefined && row.version !== followed.version;
  return isPrerelease(row.semver) ? exceeds(current.semver, row.semver) : row.version !== current.version;
}
