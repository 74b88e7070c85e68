/** Installs of a skill by version, and by what their pins admit. */
import semver from "semver";
import { isChannelName } from "../../../contract/names/channel-name.ts";
import type { InstallSummaryPayload } from "../../../contract/payloads/usage/analytics.ts";
import { bumps } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { InstallGroup } from "../../../storage/usage/installs.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { loadSkill } from "../load.ts";
import { markOf, unseenVersions } from "../marks/marks.ts";
import { exceeds, isPrerelease } from "../versions/semver.ts";
import { listSemvers } from "../versions/versions.ts";
import { isOutdated } from "./list-installs.ts";

/** Requires `analytics:read`. Names no member. */
export async function summarizeInstalls(app: App, actor: Actor, ref: string): Promise<InstallSummaryPayload> {
  const skill = await loadSkill(app, actor, ref, "analytics:read");
  const groups = await app.storage.installs.groupOfSkill(skill._id);
  const unseen = unseenVersions(skill);
  const versions = versionsOf(
    skill,
    groups.filter(({ version }) => !unseen.includes(version)),
  );
  const sum = (counted: readonly { installs: number }[]) =>
    counted.reduce((total, { installs }) => total + installs, 0);
  return {
    installs: sum(versions),
    outdated: sum(groups.filter((group) => isOutdated(group, skill))),
    versions,
    reach: reachOf(await highestSeen(app, skill, unseen), groups),
  };
}

/** Highest version first. */
function versionsOf(skill: SkillDoc, groups: readonly InstallGroup[]): InstallSummaryPayload["versions"] {
  const byVersion = new Map<number, InstallSummaryPayload["versions"][number]>();
  for (const { version, semver: number, installs, range } of groups) {
    const { deprecated, yanked } = markOf(skill, version) ?? {};
    const one = byVersion.get(version) ?? {
      version,
      semver: number,
      installs: 0,
      outdated: false,
      deprecated,
      yanked,
    };
    one.installs += installs;
    one.outdated ||= isOutdated({ version, semver: number, range }, skill);
    byVersion.set(version, one);
  }
  return [...byVersion.values()].toSorted((a, b) => (exceeds(a.semver, b.semver) ? -1 : 1));
}

/** The highest release among the versions that the caller sees. */
async function highestSeen(app: App, skill: SkillDoc, unseen: readonly number[]): Promise<string> {
  const { semver: current } = skill.current;
  if (unseen.length === 0) return skill.highestRelease ?? current;
  const seen = (await listSemvers(app, skill)).filter(({ version }) => !unseen.includes(version));
  const releases = seen.filter((one) => !isPrerelease(one.semver));
  return releases.reduce((highest, one) => (exceeds(one.semver, highest) ? one.semver : highest), current);
}

/** Installs that the next patch, minor or major release would reach by their pins. */
function reachOf(highest: string, groups: readonly InstallGroup[]): InstallSummaryPayload["reach"] {
  const reach = { unknown: 0, pinned: 0, channels: 0, patch: 0, minor: 0, major: 0 };
  for (const { range, installs } of groups) {
    if (range === undefined) reach.unknown += installs;
    else if (isChannelName(range)) reach.channels += installs;
    else if (/^\d+$/.test(range) || semver.valid(range) !== null) reach.pinned += installs;
    else
      for (const bump of bumps) {
        const next = semver.inc(highest, bump);
        if (range === "latest" || (next !== null && semver.satisfies(next, range))) reach[bump] += installs;
      }
  }
  return reach;
}
