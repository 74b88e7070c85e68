/** Installed versions of a skill over time, and how fast its releases were installed. Names no member. */
import type { SkillAdoptionPayload } from "../../../contract/payloads/usage/adoption.ts";
import type { InstallCounts, InstallDayDoc, VersionCount } from "../../../storage/usage/install-days.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import { dayBefore } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { loadSkill } from "../load.ts";
import { unseenVersions } from "../marks/marks.ts";
import { exceeds } from "../versions/semver.ts";
import { findVersions } from "../versions/versions.ts";
import { countInstalled } from "./install-counts.ts";

/** Latest releases that are considered; a chart shows the newest of them. */
const maxReleases = 200;
const shownReleases = 6;
const shownVersions = 5;

type Day = InstallCounts & { date: string };

/** Requires `analytics:read`. */
export async function readAdoption(
  app: App,
  actor: Actor,
  ref: string,
  days: number,
): Promise<SkillAdoptionPayload> {
  const skill = await loadSkill(app, actor, ref, "analytics:read");
  const from = dayBefore(app, days - 1);
  const [stored, groups, releases] = await Promise.all([
    app.storage.installDays.listOfSkill(skill._id, from),
    app.storage.installs.groupOfSkill(skill._id),
    findVersions(app, skill, { prerelease: false, limit: maxReleases }),
  ]);
  const dates = Array.from({ length: days }, (_, index) => dayBefore(app, days - 1 - index));
  const dailyCounts = knownDays(dates, stored, countInstalled(groups));
  const unseen = unseenVersions(skill);
  const versions = mostInstalled(dailyCounts).filter(({ version }) => !unseen.includes(version));
  const isAtLeast = comparison();
  const released = releases.filter(({ version }) => !unseen.includes(version));
  const newestOn = newestByDay(released, dates);
  return {
    versions: versions.map(({ version, semver }) => ({ version, semver })),
    daily: dailyCounts.map((day) => {
      const newest = newestOn.get(day.date);
      return {
        date: day.date,
        installs: day.installs,
        newest: newest?.semver ?? null,
        onNewest: newest ? installsOf(day, (one) => isAtLeast(one.semver, newest.semver)) : 0,
        versions: versions.map(({ version }) => installsOf(day, (one) => one.version === version)),
      };
    }),
    releases: shownOf(released, from).map(({ version, semver, createdAt }) => {
      const releasedOn = dateOf(createdAt);
      return {
        version,
        semver,
        releasedAt: createdAt.toISOString(),
        daily: dailyCounts
          .filter(({ date }) => date >= releasedOn)
          .map((day) => ({
            date: day.date,
            installs: day.installs,
            adopted: installsOf(day, (one) => isAtLeast(one.semver, semver)),
          })),
      };
    }),
  };
}

/** The days from the first known one on. The current day, and one that is not counted yet, have today's installs. */
function knownDays(
  dates: readonly string[],
  stored: readonly InstallDayDoc[],
  current: InstallCounts,
): Day[] {
  const known: Day[] = [];
  let at = 0;
  let latest: InstallCounts | undefined;
  for (const date of dates) {
    for (let day = stored[at]; day && day.date <= date; day = stored[++at]) {
      const { installs, versions } = day;
      latest = installs === undefined || versions === undefined ? current : { installs, versions };
    }
    if (date === dates.at(-1)) latest = current;
    if (latest) known.push({ date, installs: latest.installs, versions: latest.versions });
  }
  return known;
}

const dateOf = (time: Date) => time.toISOString().slice(0, 10);

function installsOf({ versions }: InstallCounts, isCounted: (one: VersionCount) => boolean): number {
  return versions.reduce((sum, one) => sum + (isCounted(one) ? one.installs : 0), 0);
}

/** Versions with the most installs on any day, highest first. */
function mostInstalled(days: readonly Day[]): VersionCount[] {
  const most = new Map<number, VersionCount>();
  for (const { versions } of days)
    for (const one of versions)
      if ((most.get(one.version)?.installs ?? 0) < one.installs) most.set(one.version, one);
  return [...most.values()]
    .toSorted((a, b) => b.installs - a.installs || b.version - a.version)
    .slice(0, shownVersions)
    .toSorted((a, b) => (exceeds(a.semver, b.semver) ? -1 : 1));
}

/** The highest release that was published by the end of each day. */
function newestByDay(releases: readonly VersionDoc[], dates: readonly string[]): Map<string, VersionDoc> {
  const waiting = releases.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const newest = new Map<string, VersionDoc>();
  let best: VersionDoc | undefined;
  for (const date of dates) {
    for (let next = waiting.at(-1); next && dateOf(next.createdAt) <= date; next = waiting.at(-1)) {
      if (!best || exceeds(next.semver, best.semver)) best = next;
      waiting.pop();
    }
    if (best) newest.set(date, best);
  }
  return newest;
}

/** The newest releases since a date, or else the latest one before it. Newest first. */
function shownOf(releases: readonly VersionDoc[], from: string): VersionDoc[] {
  const recent = releases.filter(({ createdAt }) => dateOf(createdAt) >= from);
  return recent.length > 0 ? recent.slice(0, shownReleases) : releases.slice(0, 1);
}

/** Compares two versions, each pair once: a year has many days with the same versions. */
function comparison(): (semver: string, other: string) => boolean {
  const known = new Map<string, boolean>();
  return (semver, other) => {
    const key = `${semver} ${other}`;
    let result = known.get(key);
    if (result === undefined) known.set(key, (result = !exceeds(other, semver)));
    return result;
  };
}
