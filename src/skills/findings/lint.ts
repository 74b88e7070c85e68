/** Checks the content of a skill by the rules that `svc lint` applies. Nothing is stored. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Finding } from "../../../contract/checks/findings.ts";
import type { SkillText } from "../../../contract/checks/skill-rules.ts";
import { limits } from "../../../contract/limits.ts";
import { decodeUtf8 } from "../../../contract/text/text-encoding.ts";
import type { CallerCompute } from "../../compute/compute.ts";
import { lintInMemory, type LintedFile, type UnnamedFinding } from "../../compute/pieces/lint-files.ts";
import { planLint, type LintPlan, type SkillKind } from "../../compute/pieces/plan-lint.ts";
import { readText } from "../../compute/read-text.ts";

export interface Found extends Finding {
  /** Digest of what was found, without its line: the same in every version that has it. */
  id: string;
}

export interface FileToLint {
  path: string;
  size: number;
  read(): Promise<Buffer> | Buffer;
  /** The root file as it reads, if it was read before. */
  text?: SkillText;
}

/** Files of this size together are checked within a few milliseconds, whatever is in them. */
const cheapBytes = 16 * 1024;
/** Bytes that are sent to a thread at a time. */
const batchBytes = 1024 * 1024;

/** Findings in the order of the files, errors first; at most `limits.findingsPerVersion`. */
export async function lintFiles(
  compute: CallerCompute,
  files: readonly FileToLint[],
  kind: SkillKind,
): Promise<Found[]> {
  const plan = planLint(files, kind);
  const found = [...plan.found];
  for (const batch of batchesOf(plan.read)) found.push(...(await lintBatch(compute, batch, plan)));
  return nameFindings(
    found,
    files.map(({ path }) => path),
  );
}

function batchesOf(files: readonly FileToLint[]): FileToLint[][] {
  const batches: FileToLint[][] = [];
  let bytes = Infinity;
  for (const file of files) {
    bytes += file.size;
    if (bytes > batchBytes) {
      batches.push([]);
      bytes = file.size;
    }
    batches.at(-1)!.push(file);
  }
  return batches;
}

async function lintBatch(
  compute: CallerCompute,
  batch: readonly FileToLint[],
  { around }: LintPlan<FileToLint>,
): Promise<UnnamedFinding[]> {
  const files: LintedFile[] = [];
  for (const { path, text, read } of batch) files.push({ path, data: await read(), text });
  const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
  if (bytes > cheapBytes)
    // A buffer may be part of a larger one, which would be copied as a whole.
    return compute.run("lint", {
      ...around,
      files: files.map(({ path, data }) => ({ path, data: new Uint8Array(data) })),
    });
  const root = files.find(({ path, text }) => path === around.root && text === undefined);
  const source = root && decodeUtf8(root.data);
  if (source !== undefined) root!.text = await readText(compute, source, around.format);
  await nextTurn();
  return lintInMemory({ ...around, files });
}

/** Sorts findings and gives them ids. Equal ones are numbered, so that each has an id of its own. */
export function nameFindings(found: readonly UnnamedFinding[], paths: readonly string[]): Found[] {
  const indexes = new Map(paths.map((path, index) => [path, index]));
  const rank = ({ severity, path }: UnnamedFinding) =>
    (severity === "error" ? 0 : paths.length) + (indexes.get(path) ?? 0);
  const sorted = found.toSorted((a, b) => rank(a) - rank(b)).slice(0, limits.findingsPerVersion);
  const counts = new Map<string, number>();
  return sorted.map(({ subject, ...finding }) => {
    const key = `${finding.rule}\n${finding.path}\n${subject}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const id = createHash("sha256").update(`${key}\n${count}`).digest("hex").slice(0, 16);
    return { ...finding, id };
  });
}
