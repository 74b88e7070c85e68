/** The form of the rules of the scanner: data, of which the matchers are functions without side effects. */
import type { FileKind } from "./file-kind.ts";
import type { ScanRuleId, ScanSeverity } from "./report.ts";

/** A part of a text, as offsets. */
export interface Span {
  start: number;
  end: number;
  /** The parts, if two matches were combined. */
  parts?: readonly Span[];
}

/** A pattern whose matches rules combine. */
export interface Signal {
  /** Lower-case texts, one of which is in every match. A text without any of them is not searched. */
  words: readonly string[];
  /** Global, and linear: repetitions are bounded and not nested. */
  pattern: RegExp;
}

/** A part of a text that is searched at once. Parts of long texts overlap. */
export interface Chunk {
  text: string;
  /** Matches in the order of their positions. */
  find(signal: Signal): readonly Span[];
  /** Line breaks between two offsets. */
  linesBetween(from: number, to: number): number;
  /** Whether a part is in one that the rendered text does not show. */
  isHidden(start: number, end: number): boolean;
  file: TextFile;
}

export interface TextFile {
  path: string;
  /** The agent or an interpreter runs it. */
  isProgram: boolean;
  /** Text for the agent, in which examples and warnings are common. */
  isProse: boolean;
  /** Decoded from a text that people can't read, such as Base64. */
  isDecoded: boolean;
}

export type Matcher = (chunk: Chunk) => Span[];

interface RuleBase {
  id: ScanRuleId;
  severity: ScanSeverity;
  sentence: string;
}

/** A rule about texts. */
export interface TextRule extends RuleBase {
  match: Matcher;
  /** Severity in programs, if it differs. */
  inPrograms?: ScanSeverity;
  /** Real addresses and payloads: where they illustrate a warning they remain suspicious, others become notes. */
  isConcrete?: boolean;
  /** Applies to programs only. */
  programsOnly?: boolean;
}

/** A rule about signals that one file has at any distance, or several files of the skill. */
export interface TogetherRule extends RuleBase {
  /** All of them in programs. */
  together: readonly Matcher[];
  within: "file" | "skill";
}

export interface ScannedFile {
  path: string;
  data: Uint8Array;
  isExecutable: boolean;
  kind: FileKind;
  /** Number of archives around it. */
  depth: number;
}

/** A rule about the bytes, the name or the kind of a file. */
export interface FileRule extends RuleBase {
  matchFile(file: ScannedFile): boolean;
}

export interface SkillFacts {
  name: string | undefined;
  description: string | undefined;
  allowedTools: readonly string[] | undefined;
  /** Lines of frontmatter keys, from 1. */
  lines: ReadonlyMap<string, number>;
  files: readonly { path: string; isProgram: boolean }[];
  /** Whether a program of the skill calls the network. */
  callsNetwork: boolean;
}

/** A rule about the skill as its root file describes it. Returns the key of the frontmatter that it is about. */
export interface SkillRule extends RuleBase {
  matchSkill(facts: SkillFacts): string | undefined;
}

export interface RuleSet {
  text: readonly TextRule[];
  together: readonly TogetherRule[];
  file: readonly FileRule[];
  skill: readonly SkillRule[];
}

/** Applies a rule; undefined if it throws, which is reported. Throws when the time of the scan is over. */
export type ApplyRule = <T>(rule: string, work: () => T) => T | undefined;
