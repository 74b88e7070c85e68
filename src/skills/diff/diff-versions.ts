/** Differences between two versions, file by file. */
import { limits } from "../../../contract/limits.ts";
import type { DiffPayload, FileDiffPayload } from "../../../contract/payloads/skills/skills.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { compareTexts } from "../../compute/compare-texts.ts";
import type { CallerCompute } from "../../compute/compute.ts";
import type { Comparison, TextsToCompare } from "../../compute/pieces/line-diff.ts";
import { ServiceError } from "../../errors.ts";
import { readSmallFile } from "../read/content.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { isText, listChangedFiles, type ChangedFile } from "./changed-files.ts";

/** Time limit for all comparisons of one call. */
export const totalTimeMs = 2000;
/** Number of files whose lines are compared; further files are listed without lines. */
const comparedFiles = 100;
/** Maximum number of lines in a response: a file of 1 MiB can have a million, and a package a hundred such files. */
const maxLines = 50_000;
/** Maximum length of these lines together: a few lines can have a megabyte each. */
const maxLength = 8 * 1024 * 1024;

/** The number before that of the first version: everything is added to it. */
const nothing = 0;

export interface DiffRequest {
  from: string;
  /** Default: the current version. */
  to?: string;
  /** Number of unchanged lines around each change. */
  context: number;
  /** Whether a removed and an added file of equal or similar content are one renamed file. */
  renames: boolean;
}

export interface ComparedVersions {
  /** Undefined for nothing. */
  before: VersionDoc | undefined;
  after: VersionDoc;
}

export async function selectCompared(
  app: App,
  skill: SkillDoc,
  { from, to }: Pick<DiffRequest, "from" | "to">,
): Promise<ComparedVersions> {
  // Both are parsed before the first query, since an error next to a pending query would leave a rejection unhandled.
  const ends = { from: readSelector(from), to: readSelector(to) };
  const [before, after] = await Promise.all([
    ends.from.kind === "number" && ends.from.version === nothing
      ? undefined
      : selectVersion(app, skill, ends.from),
    selectVersion(app, skill, ends.to),
  ]);
  return { before, after };
}

export async function diffVersions(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  request: DiffRequest,
): Promise<DiffPayload> {
  const compute = app.compute.by(actorKey(actor));
  const compared = await selectCompared(app, skill, request);
  const { before, after } = compared;
  const files: FileDiffPayload[] = [];
  let timeLeftMs = totalTimeMs;
  let linesLeft = maxLines;
  let lengthLeft = maxLength;
  for (const file of await listChangedFiles(app, compute, before, after, request)) {
    const { path, status, left, right } = file;
    const isCompared =
      files.length < comparedFiles &&
      timeLeftMs > 0 &&
      [left, right].every((side) => !side || side.size <= limits.inlineFileBytes);
    const lines = isCompared ? await compareFile(app, compute, compared, file, request.context) : undefined;
    timeLeftMs -= lines?.ms ?? 0;
    const shown = lines?.hunks?.flatMap((hunk) => hunk.lines) ?? [];
    const length = shown.reduce((sum, line) => sum + line.length, 0);
    const from = status === "renamed" ? { from: left!.path } : {};
    const listed = { path, status, ...from, binary: false, hunks: [] };
    if (!lines?.hunks || shown.length > linesLeft || length > lengthLeft) {
      files.push({ ...listed, truncated: true });
      continue;
    }
    linesLeft -= shown.length;
    lengthLeft -= length;
    files.push({ ...listed, truncated: false, binary: lines.binary, hunks: lines.hunks });
  }
  return { from: before?.version ?? nothing, to: after.version, files };
}

interface ComparedFile extends Comparison {
  binary: boolean;
}

/** Undefined if the file is too large. */
async function compareFile(
  app: App,
  compute: CallerCompute,
  compared: ComparedVersions,
  file: ChangedFile,
  context: number,
): Promise<ComparedFile | undefined> {
  if (file.left?.oid === file.right?.oid) return { binary: false, hunks: [], ms: 0 };
  const sides = await readSides(app, compared, file);
  if (!sides) return undefined;
  const { left, right } = sides;
  if (!isText(left) || !isText(right)) return { binary: true, hunks: [], ms: 0 };
  const texts = { path: file.path, left: left.toString("utf8"), right: right.toString("utf8"), context };
  return { binary: false, ...(await compareWithin(compute, texts)) };
}

/** A comparison that exceeds the limits of its thread has no hunks, like one that takes too long. */
export async function compareWithin(compute: CallerCompute, texts: TextsToCompare): Promise<Comparison> {
  try {
    return await compareTexts(compute, texts);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "too_costly")
      return { hunks: undefined, ms: totalTimeMs };
    throw error;
  }
}

/** The bytes of both sides, empty where there is no file; undefined if one is large. */
export async function readSides(
  app: App,
  { before, after }: ComparedVersions,
  { left, right }: Pick<ChangedFile, "left" | "right">,
): Promise<{ left: Buffer; right: Buffer } | undefined> {
  const [old, fresh] = await Promise.all([
    left && before ? readSmallFile(app, before, left.path) : Buffer.alloc(0),
    right ? readSmallFile(app, after, right.path) : Buffer.alloc(0),
  ]);
  return old && fresh && { left: old, right: fresh };
}
