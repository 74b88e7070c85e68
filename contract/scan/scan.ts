/**
 * Scans the files of a skill for what is hidden in them or harms people: the same rules in the service and in
 * `svc scan`. Deterministic and pure: no model is asked, and the caller decompresses. The time grows with the size, as
 * every pattern is linear and long texts are searched in parts; whatever can't be completed gives the verdict `failed`.
 */
import { compareUtf8 } from "../checks/package-rules.ts";
import { isScript } from "../checks/script-effects.ts";
import { splitFrontmatter } from "../document/frontmatter.ts";
import { limits } from "../limits.ts";
import {
  isTar,
  readGzip,
  readTar,
  readZip,
  zipEnd,
  type ArchiveBudget,
  type ArchiveContent,
  type Inflate,
} from "./archive.ts";
import { beginsAsScript, fileKind, isDocumentZip, promisedKind } from "./file-kind.ts";
import { collectFindings } from "./findings.ts";
import { encodingOf, readBytes, readText, type TextPart } from "./read-text.ts";
import type { ScanReport } from "./report.ts";
import { ruleSetVersion, rules as allRules } from "./rules/index.ts";
import type { ApplyRule, RuleSet, ScannedFile, SkillFacts } from "./scan-rule.ts";
import { makeTextScanner, type ScannedText } from "./scan-text.ts";

export interface FileToScan {
  /** With `/`. */
  path: string;
  data: Uint8Array;
  /** Its mode has the bit for running it. */
  isExecutable?: boolean;
}

export interface ScanOptions {
  inflate: Inflate;
  /** After which the scan ends without a result. */
  timeMs?: number;
  /** Milliseconds of any clock. */
  now?: () => number;
  rules?: RuleSet;
}

/** Thrown by the scanner when its time is over. */
class TimeOver extends Error {}

/** Archives in archives that are opened; documents that are archives may be in one more. */
const maxDepth = 2;
const mayBeOpened = (path: string, depth: number) => depth < maxDepth + (isDocumentZip(path) ? 1 : 0);
const archiveBudget: ArchiveBudget = { bytes: limits.packageUncompressedBytes, files: 2000 };
const passwordTold =
  /\bunzip\s{1,4}-P|\b7z\s{1,4}x\s{1,4}-p|\bpass(?:word|phrase)\s{0,3}(?:is|:|=)\s{0,3}\S/i;

/** A scan of files that are read one after the other, in the order of their paths as UTF-8. */
export interface Scan {
  add(file: FileToScan): void;
  /** Called once, after the last file. */
  finish(): ScanReport;
}

export function scanSkill(files: readonly FileToScan[], options: ScanOptions): ScanReport {
  const scan = openScan(options);
  for (const file of files.toSorted((a, b) => compareUtf8(a.path, b.path))) scan.add(file);
  return scan.finish();
}

export function openScan({ inflate, timeMs = limits.scanMs, ...options }: ScanOptions): Scan {
  const { now = () => performance.now(), rules = allRules } = options;
  const findings = collectFindings();
  const started = now();
  let isOver = false;
  let failure: string | undefined;
  /** Other rules and files are examined nevertheless: what they find counts. */
  const attempt = <T>(work: () => T, sentence: string): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (error instanceof TimeOver) throw error;
      failure ??= sentence;
      return undefined;
    }
  };
  const apply: ApplyRule = (rule, work) => {
    if (now() - started > timeMs) throw new TimeOver();
    return attempt(work, `The rule ${rule} failed.`);
  };
  const scanner = makeScanner({ inflate, rules }, findings, apply);
  const withinTime = (work: () => void, sentence: string) => {
    if (isOver) return;
    try {
      attempt(work, sentence);
    } catch {
      isOver = true;
      failure = `The scan took longer than ${timeMs / 1000} seconds.`;
    }
  };
  return {
    add: (file) => withinTime(() => scanner.add(file), `${file.path} could not be examined.`),
    finish() {
      withinTime(() => scanner.finish(), "The skill as a whole could not be examined.");
      const report = findings.report(ruleSetVersion);
      return failure === undefined ? report : { ...report, verdict: "failed", failure };
    },
  };
}

function makeScanner(
  { inflate, rules }: { inflate: Inflate; rules: RuleSet },
  findings: ReturnType<typeof collectFindings>,
  apply: ApplyRule,
) {
  const texts = makeTextScanner(rules, findings, apply);
  const budget = { ...archiveBudget };
  const programs: { path: string; isProgram: boolean }[] = [];
  let isPasswordTold = false;
  const encrypted: string[] = [];
  let root: { path: string; text: string } | undefined;

  const scanFile = (file: FileToScan, depth: number): void => {
    const encoding = encodingOf(file.data);
    const isExecutable = file.isExecutable === true;
    // Programs and texts for people are read as such, whatever bytes are in them.
    const isText = encoding !== undefined || beginsAsScript(file.data) || isTextName(file.path);
    const parts = isText ? readText(file.data, encoding ?? "utf-8") : readBytes(file.data);
    const first = parts.next().value as TextPart | undefined;
    const text = isText ? (first?.text ?? "") : undefined;
    const kind = fileKind(file.data, encoding === undefined ? undefined : text);
    const scanned: ScannedFile = { path: file.path, data: file.data, isExecutable, kind, depth };
    for (const rule of rules.file)
      if (apply(rule.id, () => rule.matchFile(scanned)))
        findings.add(rule, rule.severity, { path: file.path });
    const opened = openArchive(scanned, inflate, budget);
    if (opened !== undefined) reportArchive(scanned, opened);
    for (const inner of opened?.files ?? [])
      scanFile({ ...inner, path: `${file.path}!/${inner.path}` }, depth + 1);
    const isProgram =
      kind === "script" || (text !== undefined && (isExecutable || isProgramName(file.path, text)));
    const scannedText: ScannedText = {
      path: file.path,
      parts: readParts(first, parts),
      isProgram,
      isProse: text !== undefined && !isProgram && isProseName(file.path),
    };
    if (opened === undefined || opened.isIncomplete || !isArchiveData(file.data)) texts.scan(scannedText);
    programs.push({ path: file.path, isProgram });
    if (/^(?:SKILL|RULE)\.md$/i.test(file.path)) root = { path: file.path, text: text ?? "" };
  };

  function* readParts(first: TextPart | undefined, others: Iterable<TextPart>): Generator<TextPart> {
    for (const part of first ? [first] : []) yield examine(part);
    for (const part of others) yield examine(part);
  }
  const examine = (part: TextPart): TextPart => {
    isPasswordTold ||= part.line !== undefined && passwordTold.test(part.text);
    return part;
  };

  const reportArchive = ({ path, depth, kind }: ScannedFile, content: ArchiveContent): void => {
    if (content.isEncrypted) encrypted.push(path);
    if (content.isIncomplete && ["zip", "gzip", "tar"].includes(kind))
      findings.add(archiveRules.incomplete, "suspicious", { path });
    if (kind === "image" && content.files.length > 0)
      findings.add(archiveRules.appended, "suspicious", { path });
    const isNested = content.files.some(
      (inner) => isArchiveData(inner.data) && !mayBeOpened(inner.path, depth + 1),
    );
    if (isNested) findings.add(archiveRules.nested, "suspicious", { path });
  };

  return {
    add: (file: FileToScan): void => scanFile(file, 0),
    finish(): void {
      for (const path of encrypted) {
        const rule = isPasswordTold ? archiveRules.encryptedWithPassword : archiveRules.encrypted;
        findings.add(rule, rule.severity, { path });
      }
      texts.finish();
      const facts = factsOf(root?.text, programs, texts.callsNetwork());
      for (const rule of rules.skill) {
        const key = apply(rule.id, () => rule.matchSkill(facts));
        if (key !== undefined)
          findings.add(rule, rule.severity, { path: root?.path ?? "SKILL.md", line: facts.lines.get(key) });
      }
    },
  };
}

export const archiveRules = {
  encrypted: {
    id: "archives.encrypted",
    severity: "suspicious",
    sentence: "Is an encrypted archive, which can't be examined.",
  },
  encryptedWithPassword: {
    id: "archives.encrypted-with-password",
    severity: "malicious",
    sentence: "Is an encrypted archive, and the skill names its password: it is encrypted to evade scanners.",
  },
  nested: {
    id: "archives.nested",
    severity: "suspicious",
    sentence: "Has archives within archives, too deep to be examined.",
  },
  incomplete: {
    id: "archives.not-examined",
    severity: "suspicious",
    sentence:
      "Is an archive that could not be examined as a whole: it is broken, or too large when unpacked.",
  },
  appended: {
    id: "archives.appended",
    severity: "suspicious",
    sentence: "Is a picture with an archive behind it.",
  },
} as const;

const isArchiveData = (data: Uint8Array) =>
  ["zip", "gzip", "tar", "opaque-archive"].includes(fileKind(data, undefined));

function openArchive(
  { kind, path, data, depth }: ScannedFile,
  inflate: Inflate,
  budget: ArchiveBudget,
): ArchiveContent | undefined {
  if (!mayBeOpened(path, depth)) return undefined;
  const isZip = kind === "zip" || (kind !== "program" && kind !== "gzip" && zipEnd(data) !== undefined);
  if (!isZip && kind !== "gzip" && !isTar(data)) return undefined;
  if (isZip) return readZip(data, budget, inflate);
  return kind === "gzip" ? readGzip(data, path, budget, inflate) : readTar(data, budget);
}

const buildFile =
  /(?:^|\/)(?:Makefile|GNUmakefile|Dockerfile|Containerfile|justfile|Rakefile|setup\.py|package\.json|\.envrc)$/i;
const isProgramName = (path: string, text: string) =>
  isScript(path, text.slice(0, 200)) || buildFile.test(path);
const proseEnding = /\.(?:md|mdx|mdc|markdown|txt|rst|adoc)$/i;
const isProseName = (path: string) =>
  proseEnding.test(path) || (promisedKind(path) === undefined && !/\.[a-z0-9]{1,6}$/i.test(path));
const isTextName = (path: string) =>
  proseEnding.test(path) || promisedKind(path) === "text" || isProgramName(path, "");

function factsOf(
  text: string | undefined,
  files: readonly { path: string; isProgram: boolean }[],
  callsNetwork: boolean,
): SkillFacts {
  const none: SkillFacts = {
    name: undefined,
    description: undefined,
    allowedTools: undefined,
    lines: new Map(),
    files,
    callsNetwork,
  };
  if (text === undefined) return none;
  try {
    const { fields, lines } = splitFrontmatter(text);
    const given = (key: string) => fields?.get(key);
    const asText = (value: unknown) => (typeof value === "string" ? value : undefined);
    const tools = given("allowed-tools");
    const allowedTools = Array.isArray(tools)
      ? tools.map(String)
      : typeof tools === "string"
        ? (tools.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [])
        : undefined;
    return {
      ...none,
      name: asText(given("name")),
      description: asText(given("description")),
      allowedTools,
      lines,
    };
  } catch {
    // Unreadable frontmatter is reported by `svc lint`, and refused by the service.
    return none;
  }
}
