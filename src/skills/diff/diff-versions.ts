/** Differences between two versions, file by file. */
import { structuredPatch } from "diff";
import type { DiffPayload, FileDiffPayload } from "../../../contract/payloads/skills.ts";
import { limits } from "../../../contract/limits.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { VersionDoc } from "../../../storage/versions.ts";
import type { App } from "../../app.ts";
import { readSmallFile } from "../content.ts";
import { selectVersion } from "../select-version.ts";
import { findVersion } from "../versions.ts";
import { readSelector } from "../semver.ts";
import { isText, listChangedFiles, type ChangedFile } from "./changed-files.ts";

/** Time limit for one file. Hostile input is slow to compare and is reported as `truncated` instead. */
export const fileTimeMs = 100;
/** Time limit for all comparisons of one call, which block the thread. */
export const totalTimeMs = 300;
/** Number of files whose lines are compared; further files are listed without lines. */
const comparedFiles = 100;
/** Maximum number of lines in a response: a file of 1 MiB can have a million, and a package a hundred such files. */
const maxLines = 50_000;

export interface DiffRequest {
  from: string;
  /** Default: the current version. */
  to?: string | undefined;
  /** Number of unchanged lines around each change. */
  context: number;
  /** Whether a removed and an added file of equal or similar content are one renamed file. */
  renames: boolean;
}

export interface ComparedVersions {
  before: VersionDoc;
  after: VersionDoc;
}

export async function selectCompared(
  app: App,
  skill: SkillDoc,
  { from, to }: Pick<DiffRequest, "from" | "to">,
): Promise<ComparedVersions> {
  // Both are parsed before the first query, since an error next to a pending query would leave a rejection unhandled.
  const ends = { from: readSelector(from), to: to === undefined ? undefined : readSelector(to) };
  const [before, after] = await Promise.all([
    selectVersion(app, skill, ends.from),
    ends.to ? selectVersion(app, skill, ends.to) : findVersion(app, skill, skill.current.version),
  ]);
  if (!after) throw new Error(`version ${skill.current.version} of skill ${skill._id} has no row`);
  return { before, after };
}

export async function diffVersions(app: App, skill: SkillDoc, request: DiffRequest): Promise<DiffPayload> {
  const compared = await selectCompared(app, skill, request);
  const { before, after } = compared;
  const files: FileDiffPayload[] = [];
  let timeLeftMs = totalTimeMs;
  let linesLeft = maxLines;
  for (const file of await listChangedFiles(app, before, after, request)) {
    const { path, status, left, right } = file;
    const isCompared =
      files.length < comparedFiles &&
      timeLeftMs > 0 &&
      [left, right].every((side) => !side || side.size <= limits.inlineFileBytes);
    const lines = isCompared
      ? await compareFile(app, compared, file, request.context, (ms) => (timeLeftMs -= ms))
      : undefined;
    const count = lines?.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0) ?? 0;
    const from = status === "renamed" ? { from: left!.path } : {};
    const listed = { path, status, ...from, binary: false, hunks: [] };
    if (count > linesLeft) {
      files.push({ ...listed, truncated: true });
      continue;
    }
    linesLeft -= count;
    files.push({ ...listed, truncated: lines === undefined, ...lines });
  }
  return { from: before.version, to: after.version, files };
}

async function compareFile(
  app: App,
  compared: ComparedVersions,
  file: ChangedFile,
  context: number,
  spend: (ms: number) => void,
): Promise<Pick<FileDiffPayload, "binary" | "truncated" | "hunks"> | undefined> {
  if (file.left?.oid === file.right?.oid) return { binary: false, truncated: false, hunks: [] };
  const sides = await readSides(app, compared, file);
  if (!sides) return undefined;
  const { left, right } = sides;
  if (!isText(left) || !isText(right)) return { binary: true, truncated: false, hunks: [] };
  const started = performance.now();
  const hunks = compareTexts(left.toString("utf8"), right.toString("utf8"), context);
  spend(performance.now() - started);
  return hunks && { binary: false, truncated: false, hunks };
}

/** The bytes of both sides, empty where there is no file; undefined if one is large. */
export async function readSides(
  app: App,
  { before, after }: ComparedVersions,
  { left, right }: Pick<ChangedFile, "left" | "right">,
): Promise<{ left: Buffer; right: Buffer } | undefined> {
  const [old, fresh] = await Promise.all([
    left ? readSmallFile(app, before, left.path) : Buffer.alloc(0),
    right ? readSmallFile(app, after, right.path) : Buffer.alloc(0),
  ]);
  return old && fresh && { left: old, right: fresh };
}

/** Undefined if the comparison takes too long. */
export function compareTexts(
  left: string,
  right: string,
  context: number,
): FileDiffPayload["hunks"] | undefined {
  const patch = structuredPatch("a", "b", left, right, "", "", { context, timeout: fileTimeMs });
  return patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
}
