/**
 * Resemblance of directories without a `.svc.json` to the skills of the organization, by the lines of their texts. A
 * directory at the path of a skill is that skill's, edited, unless it is more like another one, which may have been
 * moved over it.
 */
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { cutFences } from "../../../contract/document/frontmatter.ts";
import { textOf, withoutManagedHeader } from "../../../repos/mirror/layout.ts";
import type { RemoteSkill } from "../../../repos/mirror/types.ts";
import type { App } from "../../app.ts";
import type { SyncContext } from "./context.ts";
import type { LocatedSkill } from "./export/exported.ts";
import { refusalOf } from "./refusal.ts";

interface Sides {
  skills: ReadonlyMap<string, LocatedSkill>;
  directories: readonly RemoteSkill[];
}

/** Number of lines of a text, and how many of them a directory has too. */
interface Overlap {
  lines: number;
  shared: number;
}

interface Compared {
  lines: number;
  /** By skill, for those that share a line. */
  overlaps: Map<string, Overlap>;
}

const maxLines = 2000;
const readConcurrency = 8;

/** Reports whether a directory is more like another skill than like its own. The first call reads everything. */
export function openResemblance(
  context: Pick<SyncContext, "app" | "mirror">,
  sides: Sides,
): (skillId: string, path: string) => Promise<boolean> {
  let compared: Promise<ReadonlyMap<string, Compared>> | undefined;
  return async (skillId, path) => {
    const directory = (await (compared ??= compareAll(context, sides))).get(path);
    if (!directory) return false;
    const own = directory.overlaps.get(skillId)?.shared ?? 0;
    return [...directory.overlaps].some(
      ([id, { lines, shared }]) =>
        id !== skillId && shared > own && 2 * shared >= Math.min(lines, directory.lines),
    );
  };
}

async function compareAll(
  { app, mirror }: Pick<SyncContext, "app" | "mirror">,
  { skills, directories }: Sides,
): Promise<ReadonlyMap<string, Compared>> {
  const compared = new Map<string, Compared>();
  const withLine = new Map<string, Compared[]>();
  const unnamed = directories.filter(({ svcId }) => svcId === undefined);
  await mapLimit(unnamed, readConcurrency, async (directory) => {
    const { files } = await mirror.list(directory);
    const root = files.find(({ path }) => path === directory.rootFile);
    if (!root) return;
    const lines = linesOf(await mirror.read(root.oid));
    const entry = { lines: lines.size, overlaps: new Map<string, Overlap>() };
    compared.set(directory.path, entry);
    for (const line of lines) withLine.set(line, [...(withLine.get(line) ?? []), entry]);
  });
  await mapLimit([...skills.values()], readConcurrency, async (skill) => {
    const { id } = skill;
    const lines = await linesOfSkill(app, skill);
    for (const line of lines)
      for (const { overlaps } of withLine.get(line) ?? []) {
        const overlap = overlaps.get(id) ?? { lines: lines.size, shared: 0 };
        overlap.shared++;
        overlaps.set(id, overlap);
      }
  });
  return compared;
}

/** None for a skill that can't be read, which the export reports. */
async function linesOfSkill(app: App, skill: LocatedSkill): Promise<Set<string>> {
  const { id: skillId, tenantId, type, current, path } = skill;
  const rootFile = type === "rule" ? "RULE.md" : "SKILL.md";
  try {
    const root = await app.repos.readFile({ tenantId, skillId }, current.oid, rootFile);
    return root ? linesOf(root.data) : new Set();
  } catch (error) {
    if (!refusalOf(app, error, path)) throw error;
    return new Set();
  }
}

/** The different lines of a text's body. */
function linesOf(data: Buffer): Set<string> {
  const text = textOf(data);
  if (text === undefined) return new Set();
  const whole = withoutManagedHeader(text).replace(/^\uFEFF/, "");
  const body = cutFences(whole)?.body ?? whole;
  const lines = body.split(/\r\n|\r|\n/, maxLines).map((line) => line.trim());
  return new Set(lines.filter((line) => line !== ""));
}
