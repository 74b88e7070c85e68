/** Differences between two versions, file by file. */
import { isUtf8 } from "node:buffer";
import { structuredPatch } from "diff";
import type { DiffPayload } from "../../contract/payloads/skills.ts";
import { limits } from "../../contract/limits.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { App } from "../app.ts";
import { repoOf, readSmallFile } from "./content.ts";
import { selectVersion } from "./select-version.ts";
import { findVersion } from "./versions.ts";
import { readSelector } from "./semver.ts";

type FileDiff = DiffPayload["files"][number];

/** Time limit for one file. Hostile input is slow to compare and is reported as `truncated` instead. */
const fileTimeMs = 100;
/** Time limit for all comparisons of one call, which block the thread. */
const totalTimeMs = 300;
/** Number of files whose lines are compared; further files are listed without lines. */
const comparedFiles = 100;
/** Maximum number of lines in a response: a file of 1 MiB can have a million, and a package a hundred such files. */
const maxLines = 50_000;

/** Compares two versions; `to` defaults to the current one. */
export async function diffVersions(
  app: App,
  skill: SkillDoc,
  from: string,
  to: string | undefined,
): Promise<DiffPayload> {
  // Both are parsed before the first query, since an error next to a pending query would leave a rejection unhandled.
  const ends = { from: readSelector(from), to: to === undefined ? undefined : readSelector(to) };
  const [before, after] = await Promise.all([
    selectVersion(app, skill, ends.from),
    ends.to ? selectVersion(app, skill, ends.to) : findVersion(app, skill, skill.current.version),
  ]);
  if (!after) throw new Error(`version ${skill.current.version} of skill ${skill._id} has no row`);

  const [old, fresh] = await Promise.all([listByPath(app, before), listByPath(app, after)]);
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  const files: FileDiff[] = [];
  let timeLeftMs = totalTimeMs;
  let linesLeft = maxLines;
  for (const path of paths) {
    const [left, right] = [old.get(path), fresh.get(path)];
    if (left && right && left.oid === right.oid && left.mode === right.mode) continue;
    const status = !left ? "added" : !right ? "removed" : "modified";
    const isCompared =
      files.length < comparedFiles &&
      timeLeftMs > 0 &&
      [left, right].every((file) => !file || file.size <= limits.inlineFileBytes);
    const compared = isCompared
      ? await compare(app, path, left && before, right && after, (ms) => (timeLeftMs -= ms))
      : undefined;
    const lines = compared?.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0) ?? 0;
    if (lines > linesLeft) {
      files.push({ path, status, binary: false, truncated: true, hunks: [] });
      continue;
    }
    linesLeft -= lines;
    files.push({ path, status, binary: false, truncated: compared === undefined, hunks: [], ...compared });
  }
  return { from: before.version, to: after.version, files };
}

async function listByPath(app: App, version: VersionDoc) {
  const files = await app.repos.listFiles(repoOf(version), version.oid);
  return new Map(files.map((file) => [file.path, file]));
}

async function compare(
  app: App,
  path: string,
  before: VersionDoc | undefined,
  after: VersionDoc | undefined,
  spend: (ms: number) => void,
): Promise<Pick<FileDiff, "binary" | "truncated" | "hunks"> | undefined> {
  const [left, right] = await Promise.all(
    [before, after].map((version) =>
      version ? readSmallFile(app, version, path) : Promise.resolve(Buffer.alloc(0)),
    ),
  );
  if (!left || !right) return undefined;
  if (!isText(left) || !isText(right)) return { binary: true, truncated: false, hunks: [] };
  const started = performance.now();
  const patch = structuredPatch(path, path, left.toString("utf8"), right.toString("utf8"), "", "", {
    context: 3,
    timeout: fileTimeMs,
  });
  spend(performance.now() - started);
  if (!patch) return undefined;
  const hunks = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
  return { binary: false, truncated: false, hunks };
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
