/** Checks the content of a skill by the rules that `svc lint` applies. Nothing is stored. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { findingOf, type Finding } from "../../../contract/findings.ts";
import { limits } from "../../../contract/limits.ts";
import { lineAt, secretInName, secretReason, secretsInText } from "../../../contract/secret-rules.ts";
import {
  adviseOn,
  faultOfName,
  overText,
  readSkillText,
  type SkillText,
} from "../../../contract/skill-rules.ts";
import type { ContentFormat, SkillType } from "../../../contract/vocabulary.ts";
import { rootFileOf } from "../publish/text-source.ts";

export interface Found extends Finding {
  /** Digest of what was found, without its line: the same in every version that has it. */
  id: string;
}

export interface FileToLint {
  path: string;
  size: number;
  read(): Promise<Buffer> | Buffer;
  /** The root file as it reads, if it was read before. */
  text?: SkillText | undefined;
}

export interface Kind {
  format: ContentFormat;
  type: SkillType;
}

/** A finding, and the part of it that does not change with the rest of the file. */
type Unnamed = Finding & { subject: string };

/** A file with NUL in its first bytes is not searched for secrets. */
const sniffedBytes = 64 * 1024;
/** Time for which files are checked before other requests get a turn. */
const turnMs = 10;
/** Rules whose messages have a number that changes with every edit. */
const countingRules = ["body_too_long", "body_too_many_tokens", "description_long", "description_too_long"];

/**
 * Findings in the order of the files, errors first; at most `limits.findingsPerVersion`. Files over
 * `limits.inlineFileBytes`, and those beyond `limits.lintedBytes` in total, are not searched for secrets.
 */
export async function lintFiles(files: readonly FileToLint[], kind: Kind): Promise<Found[]> {
  const root = kind.format === "package" ? "SKILL.md" : rootFileOf(kind.type);
  const paths = files.map(({ path }) => path);
  const found: Unnamed[] = [];
  let bytesLeft: number = limits.lintedBytes;
  let started = performance.now();
  for (const file of files) {
    const byName = secretInName(file.path);
    if (byName !== undefined) found.push(secretFile(file.path, byName));
    const isRead = file.size <= limits.inlineFileBytes && (file.path === root || file.size <= bytesLeft);
    if (!isRead) continue;
    bytesLeft -= file.size;
    const data = await file.read();
    if (byName === undefined) found.push(...secretTexts(file.path, data));
    if (file.path === root) found.push(...lintRoot(file, data, { ...kind, files: paths }));
    if (performance.now() - started < turnMs) continue;
    await nextTurn();
    started = performance.now();
  }
  const errors = found.filter(({ severity }) => severity === "error");
  const warnings = found.filter(({ severity }) => severity === "warning");
  return withIds([...errors, ...warnings].slice(0, limits.findingsPerVersion));
}

function lintRoot(
  { path, text: known }: FileToLint,
  data: Buffer,
  around: Kind & { files: readonly string[] },
): Unnamed[] {
  if (around.format === "package" && data.length > limits.textContentBytes)
    return [named(findingOf("error", path, { rule: "text_too_large", reason: overText(data.length) }))];
  const text = known ?? readRoot(data, around.format);
  if (!text)
    return [named(findingOf("error", path, { rule: "text_encoding", reason: "it is not UTF-8 text" }))];
  const { name } = text.defaults;
  const unusable = name === undefined ? undefined : faultOfName(name, text.lines.get("name"));
  const faults = unusable === undefined ? text.faults : [...text.faults, unusable];
  const mostLinks = limits.findingsPerVersion;
  const advice = adviseOn(text, { ...around, mostLinks, isToolFile: around.type === "rule" });
  return [
    ...faults.map((fault) => named(findingOf("error", path, fault))),
    ...advice.map((fault) => named(findingOf("warning", path, fault))),
  ];
}

/** Undefined if it is not UTF-8 text. */
function readRoot(data: Buffer, format: ContentFormat): SkillText | undefined {
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
  return readSkillText(source, format);
}

const named = (finding: Finding): Unnamed => ({
  ...finding,
  subject: countingRules.includes(finding.rule) ? "" : finding.message,
});

function secretFile(path: string, what: string): Unnamed {
  const rule = "secret_file" as const;
  return named(findingOf("error", path, { rule, reason: secretReason({ rule, path, what }) }));
}

/** Another secret in the same place is another finding, so that no review of the former applies to it. */
function secretTexts(path: string, data: Buffer): Unnamed[] {
  if (data.subarray(0, sniffedBytes).includes(0)) return [];
  const text = data.toString("latin1");
  const rule = "secret_text" as const;
  return secretsInText(text, limits.findingsPerVersion).map(({ what, offset, length }) => ({
    ...findingOf("error", path, {
      rule,
      reason: secretReason({ rule, path, what }),
      line: lineAt(text, offset),
    }),
    subject: sha256(text.slice(offset, offset + length)),
  }));
}

/** Equal findings are numbered, so that each has an id of its own. */
function withIds(found: readonly Unnamed[]): Found[] {
  const counts = new Map<string, number>();
  return found.map(({ subject, ...finding }) => {
    const key = `${finding.rule}\n${finding.path}\n${subject}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return { ...finding, id: sha256(`${key}\n${count}`).slice(0, 16) };
  });
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
