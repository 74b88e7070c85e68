/** The version that a pin or a content request selects. */
import type { SkillDoc } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { withoutYanked } from "../marks/marks.ts";
import { readRange, readSelector, resolveRange, type VersionSelector } from "./semver.ts";
import { findVersion, findVersionBySemver, findVersions, listSemvers } from "./versions.ts";

/** Throws `not_found` if no version matches. */
export async function selectVersion(
  app: App,
  skill: SkillDoc,
  selector: VersionSelector,
): Promise<VersionDoc> {
  const version = await findSelected(app, skill, selector);
  if (!version) throw await noSuchVersion(app, skill, selector);
  return version;
}

/** Number of versions that an error lists. */
const listedVersions = 5;

/** The error lists the newest versions; prereleases only for a selector that names one. */
async function noSuchVersion(app: App, skill: SkillDoc, selector: VersionSelector): Promise<ServiceError> {
  const wanted = describe(selector);
  const found = await findVersions(app, skill, {
    prerelease: selector.kind !== "number" && wanted.includes("-"),
    limit: listedVersions + 1 + (skill.marks?.length ?? 0),
  });
  const newest = withoutYanked(skill, found).slice(0, listedVersions + 1);
  const shown = newest
    .slice(0, listedVersions)
    .map(({ version, semver }) => (selector.kind === "number" ? `${version} (${semver})` : semver));
  const problem = {
    current: "has no current version",
    number: `has no version with the number ${wanted}`,
    exact: `has no version ${wanted}`,
    range: `has no version that satisfies ${wanted}`,
  }[selector.kind];
  const more = newest.length > listedVersions ? ", and older ones." : ".";
  return new ServiceError(
    "not_found",
    `"${skill.tenantSlug}/${skill.slug}" ${problem}. Its newest versions are ${shown.join(", ")}${more}`,
    {
      kind: "content",
      ref: `${skill.slug}@${wanted}`,
      versions: newest.slice(0, listedVersions).map(({ semver }) => semver),
    },
  );
}

async function findSelected(
  app: App,
  skill: SkillDoc,
  selector: VersionSelector,
): Promise<VersionDoc | null | undefined> {
  if (selector.kind === "current") return findVersion(app, skill, skill.current.version);
  if (selector.kind === "number") return findVersion(app, skill, selector.version);
  if (selector.kind === "exact") return findVersionBySemver(app, skill, selector.semver);
  const eligible = withoutYanked(skill, await listSemvers(app, skill));
  const chosen = await resolveRange(selector.range, eligible, skill.current.semver);
  return chosen && findVersion(app, skill, chosen.version);
}

function describe(selector: VersionSelector): string {
  if (selector.kind === "current") return "latest";
  if (selector.kind === "number") return String(selector.version);
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
      "version takes a number, semver an exact version, range a range or latest: send what fits.",
    );
  }
  return selector;
}
