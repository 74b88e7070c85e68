/**
 * Content at the path of a skill that is no longer a skill: its SKILL.md was renamed or removed, or is a link or a
 * directory. It is in no version, so its skill is skipped: nothing is written there until the directory is a skill
 * again or is deleted.
 */
import type { RemoteScan, ScanProblem } from "../../../repos/mirror/types.ts";
import type { MergeBase } from "./plan-types.ts";

export interface SkippedSkill {
  skillId: string;
  /** Path of the content. */
  path: string;
  problem: ScanProblem;
}

export interface Unreadable {
  skipped: SkippedSkill[];
  /** Problems at paths where no skill is skipped. */
  others: ScanProblem[];
}

/** The skills that are skipped because of unreadable content. A skill whose directory is elsewhere is not skipped. */
export function findUnreadable(
  scan: Pick<RemoteScan, "directories" | "unreadable" | "problems">,
  skills: Iterable<{ id: string; path: string }>,
  bases: ReadonlyMap<string, MergeBase>,
): Unreadable {
  if (scan.unreadable.size === 0) return { skipped: [], others: scan.problems };
  const present = new Set(scan.directories.map(({ path }) => path));
  const skipped: SkippedSkill[] = [];
  const reported = new Set<ScanProblem>();
  for (const { id, path } of skills) {
    const base = bases.get(id);
    const places = [path, ...(base ? [base.path] : [])];
    if (base?.strayPath !== undefined && !present.has(base.path)) places.push(base.strayPath);
    const at = places.find((place) => scan.unreadable.has(place));
    if (at === undefined) continue;
    const problem = scan.unreadable.get(at)!;
    skipped.push({ skillId: id, path: at, problem });
    reported.add(problem);
  }
  return { skipped, others: scan.problems.filter((problem) => !reported.has(problem)) };
}
