/** A skill's versions, newest first. */
import { z } from "zod";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { App } from "../../app.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { type Page } from "../../http/route.ts";
import { filterBySpec, readSelector } from "./semver.ts";
import { findVersion, findVersions, listSemvers } from "./versions.ts";

const Cursor = z.tuple([z.number().int()]);

export interface VersionsRequest {
  spec?: string;
  prerelease?: boolean;
  limit: number;
  cursor?: string;
}

/** A page of versions, without prereleases unless requested, or matched by an exact `spec` or an anchored range. */
export async function listVersions(
  app: App,
  skill: SkillDoc,
  request: VersionsRequest,
): Promise<Page<VersionDoc>> {
  const below = decodeCursor(request.cursor, Cursor)?.[0];
  const prerelease = request.prerelease ?? false;
  const rows =
    request.spec === undefined
      ? await findVersions(app, skill, { below, prerelease, limit: request.limit + 1 })
      : await listBySpec(app, skill, { below, prerelease, spec: request.spec, limit: request.limit + 1 });
  return pageOf(rows, request.limit, (last) => [last.version]);
}

async function listBySpec(
  app: App,
  skill: SkillDoc,
  options: { below: number | undefined; prerelease: boolean; spec: string; limit: number },
) {
  const selector = readSelector(options.spec);
  const all = await listSemvers(app, skill);
  const matching =
    selector.kind === "current"
      ? all.filter((v) => v.version === skill.current.version)
      : await filterBySpec(options.spec, all, options);
  const wanted = matching
    .filter((v) => options.below === undefined || v.version < options.below)
    .slice(0, options.limit);
  const rows = await Promise.all(wanted.map((v) => findVersion(app, skill, v.version)));
  return rows.filter((row) => row !== null);
}
