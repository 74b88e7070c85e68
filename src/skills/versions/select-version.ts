/** The version that a pin or a content request selects. */
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { channelOf, targetOf } from "../channels/channels.ts";
import type { SeenSkill } from "../load.ts";
import { stateOf, unseenVersions, withoutWithdrawn } from "../marks/marks.ts";
import { filterBySpec, readRange, readSelector, resolveRange, type VersionSelector } from "./semver.ts";
import { findVersion, findVersionBySemver, findVersions, listSemvers } from "./versions.ts";

/**
 * Throws `not_found` if no version matches, or only versions that are withdrawn from the selector or hidden from the
 * caller for whom the skill was loaded.
 */
export async function selectVersion(
  app: App,
  skill: SeenSkill,
  selector: VersionSelector,
): Promise<VersionDoc> {
  const version = await findSelected(app, skill, selector);
  if (!version || unseenVersions(skill).includes(version.version))
    throw await noSuchVersion(app, skill, selector);
  return version;
}

/**
 * The version that a page about a skill shows: the current one, or the last one if none can be installed. Undefined if
 * the caller for whom the skill was loaded may not see that.
 */
export async function shownVersion(app: App, skill: SeenSkill): Promise<VersionDoc | undefined> {
  if (unseenVersions(skill).includes(skill.current.version)) return undefined;
  const version = await findVersion(app, skill, skill.current.version);
  if (!version) throw new Error(`version ${skill.current.version} of skill ${skill._id} has no row`);
  return version;
}

/** The selector of a version by its number or exact semver. Throws `invalid_request` for anything else. */
export function readVersionRef(ref: string): VersionSelector {
  const selector = readSelector(ref);
  if (selector.kind === "number" || selector.kind === "exact") return selector;
  throw invalidRequest(`"${ref.slice(0, 80)}" is not the number or semver of a version.`);
}

/** Number of versions that an error lists. */
const listedVersions = 5;

/**
 * The error lists the newest versions, or the channels for one that is missing; prereleases only for a selector that
 * names one. `details.reason` is the state of the versions that the selector would match, as far as the caller may know
 * of them.
 */
async function noSuchVersion(app: App, skill: SeenSkill, selector: VersionSelector): Promise<ServiceError> {
  const wanted = describe(selector);
  const found = await findVersions(app, skill, {
    prerelease: (selector.kind === "exact" || selector.kind === "range") && wanted.includes("-"),
    limit: listedVersions + 1 + (skill.marks?.length ?? 0),
  });
  const newest = withoutWithdrawn(skill, found).slice(0, listedVersions + 1);
  const withdrawn = await findWithdrawn(skill, selector);
  const shown = newest
    .slice(0, listedVersions)
    .map(({ version, semver }) => (selector.kind === "number" ? `${version} (${semver})` : semver));
  const channels = (skill.channels ?? []).map(({ name }) => name);
  const isMissing = selector.kind === "channel" && !channels.includes(selector.name);
  const problem = {
    current: "has no version that can be installed",
    number: `has no version with the number ${wanted}`,
    exact: `has no version ${wanted}`,
    range: `has no version that satisfies ${wanted}`,
    channel: isMissing ? `has no channel ${wanted}` : `has no version in its channel ${wanted}`,
  }[selector.kind];
  const more = newest.length > listedVersions ? ", and older ones." : ".";
  const others = isMissing
    ? channels.length === 0
      ? " It has no channels."
      : ` Its channels are ${channels.join(", ")}.`
    : shown.length === 0
      ? ""
      : ` Its newest versions are ${shown.join(", ")}${more}`;
  const name = `${skill.tenantSlug}/${skill.slug}`;
  const why = withdrawn?.yankReason === undefined ? "" : ` (${withdrawn.yankReason})`;
  const reason = withdrawn && `: ${withdrawn.semver} is ${withdrawn.state}${why}`;
  const pin =
    withdrawn?.state === "yanked"
      ? ` To install it all the same, pin it exactly: "${name}@${withdrawn.semver}".`
      : "";
  return new ServiceError("not_found", `"${name}" ${problem}${reason ?? ""}.${others}${pin}`, {
    kind: "content",
    ref: `${skill.slug}@${wanted}`,
    versions: newest.slice(0, listedVersions).map(({ semver }) => semver),
    reason: withdrawn?.state,
    channels: isMissing ? channels : undefined,
  });
}

/** The highest version that a selector would match if it were not withdrawn or held, as far as the caller sees it. */
async function findWithdrawn(skill: SeenSkill, selector: VersionSelector) {
  if (!skill.marks || selector.kind === "number" || selector.kind === "exact") return undefined;
  const unseen = unseenVersions(skill);
  const target = selector.kind === "channel" ? channelOf(skill, selector.name)?.version : undefined;
  const able = new Set(withoutWithdrawn(skill, skill.marks));
  const candidates = skill.marks.filter(
    (mark) =>
      !able.has(mark) &&
      !unseen.includes(mark.version) &&
      (selector.kind !== "channel" || mark.version === target),
  );
  const matching =
    selector.kind === "range"
      ? await filterBySpec(selector.range, candidates, { prerelease: false })
      : candidates;
  const last = matching.at(-1);
  if (!last) return undefined;
  const state = stateOf(skill, last.version);
  return { semver: last.semver, state, yankReason: state === "yanked" ? last.reason : undefined };
}

async function findSelected(
  app: App,
  skill: SkillDoc,
  selector: VersionSelector,
): Promise<VersionDoc | null | undefined> {
  if (selector.kind === "current")
    return skill.withheld ? undefined : findVersion(app, skill, skill.current.version);
  if (selector.kind === "number") return findVersion(app, skill, selector.version);
  if (selector.kind === "exact") return findVersionBySemver(app, skill, selector.semver);
  if (selector.kind === "channel") {
    const target = targetOf(skill, selector.name);
    return target && findVersion(app, skill, target.version);
  }
  const eligible = withoutWithdrawn(skill, await listSemvers(app, skill));
  const chosen = await resolveRange(selector.range, eligible, skill.current.semver);
  return chosen && findVersion(app, skill, chosen.version);
}

function describe(selector: VersionSelector): string {
  if (selector.kind === "current") return "latest";
  if (selector.kind === "number") return String(selector.version);
  if (selector.kind === "channel") return selector.name;
  return selector.kind === "exact" ? selector.semver : selector.range;
}

export interface SelectorQuery {
  version?: string;
  semver?: string;
  range?: string;
}

/** Reads the selector of a content request, which contains at most one of a number, an exact version and a range. */
export function selectorOf(query: SelectorQuery): VersionSelector {
  const given = [query.version, query.semver, query.range].filter((value) => value !== undefined);
  if (given.length > 1) throw new ServiceError("invalid_request", "Send one of version, semver and range.");
  if (query.range !== undefined) return readRange(query.range);
  const selector = readSelector(given[0]);
  const expected =
    query.version !== undefined ? "number" : query.semver !== undefined ? "exact" : selector.kind;
  if (selector.kind !== expected) {
    throw new ServiceError(
      "invalid_request",
      "version takes a number, semver an exact version, range a range, a channel or latest: send what fits.",
    );
  }
  return selector;
}
