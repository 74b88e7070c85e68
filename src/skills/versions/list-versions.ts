/** A skill's versions, newest first. */
import { z } from "zod";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { decodeCursor, pageOf } from "../../http/request/cursor.ts";
import { type Page } from "../../http/route.ts";
import { targetOf } from "../channels/channels.ts";
import type { SeenSkill } from "../load.ts";
import { unseenVersions } from "../marks/marks.ts";
import { filterBySpec, readSelector } from "./semver.ts";
import { findVersion, findVersions, listSemvers } from "./versions.ts";

const Cursor = z.tuple([z.number().int()]);

export interface VersionsRequest {
  spec?: string;
  prerelease?: boolean;
  limit: number;
  cursor?: string;
}

/**
 * A page of versions, without prereleases unless requested, or matched by an exact `spec`, an anchored range or a
 * channel.
 */
export async function listVersions(
  app: App,
  skill: SeenSkill,
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
  skill: SeenSkill,
  options: { below: number | undefined; prerelease: boolean; spec: string; limit: number },
) {
  const selector = readSelector(options.spec);
  const unseen = unseenVersions(skill);
  const all = (await listSemvers(app, skill)).filter(({ version }) => !unseen.includes(version));
  const only = {
    current: skill.withheld ? undefined : skill.current.version,
    channel: selector.kind === "channel" ? targetOf(skill, selector.name)?.version : undefined,
  };
  const matching =
    selector.kind === "current" || selector.kind === "channel"
      ? all.filter(({ version }) => version === only[selector.kind])
      : await filterBySpec(options.spec, all, options);
  const wanted = matching
    .filter((v) => options.below === undefined || v.version < options.below)
    .slice(0, options.limit);
  const rows = await Promise.all(wanted.map((v) => findVersion(app, skill, v.version)));
  return rows.filter((row) => row !== null);
}
