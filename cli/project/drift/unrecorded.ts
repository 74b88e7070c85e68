/** Files that svc wrote and has no record of. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { isInside, linkTarget, readTextFile } from "../../install/locations/files.ts";
import type { Config } from "../../state/config.ts";
import { statePaths } from "../../state/paths.ts";
import { scanRootsOf } from "../locations.ts";
import type { Drift } from "./drift.ts";

/** Links into the cache, and sections of svc, without a record in any profile. */
export async function unrecordedEntries(
  context: Context,
  config: Config,
  folder: string | undefined,
): Promise<Drift[]> {
  const known = new Set(
    Object.values(config.profiles).flatMap(({ installed }) =>
      Object.entries(installed).flatMap(([installName, { installs }]) =>
        installs.map(({ path, method }) => (method === "section" ? `${path}\0${installName}` : path)),
      ),
    ),
  );
  const { folders, sections } = scanRootsOf(context, folder);
  const { cache } = statePaths(context.home);
  return [...(await unrecordedLinks(folders, cache, known)), ...(await unrecordedSections(sections, known))];
}

async function unrecordedLinks(
  folders: Iterable<string>,
  cache: string,
  known: ReadonlySet<string>,
): Promise<Drift[]> {
  const drift: Drift[] = [];
  for (const folder of folders)
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const target = await linkTarget(path);
      if (target === undefined || !isInside(target, cache) || known.has(path)) continue;
      const skill = target.slice(cache.length + 1).split(/[\\/]/)[0] ?? name;
      drift.push({
        kind: "unrecorded",
        skill,
        path,
        message: `${path} leads into the cache, and no record of it`,
      });
    }
  return drift;
}

async function unrecordedSections(files: Iterable<string>, known: ReadonlySet<string>): Promise<Drift[]> {
  const drift: Drift[] = [];
  for (const path of files) {
    const text = (await readTextFile(path).catch(() => undefined)) ?? "";
    for (const [, skill] of text.matchAll(/^<!-- svc:start:([a-z0-9-]+) -->[ \t]*\r?$/gm))
      if (!known.has(`${path}\0${skill!}`))
        drift.push({
          kind: "unrecorded",
          skill: skill!,
          path,
          message: `${path} has a section for ${skill!}, and no record of it`,
        });
  }
  return drift;
}
