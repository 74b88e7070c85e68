/** Applies the rules about texts to a file: as it is written, as it takes effect, and to what is encoded in it. */
import { countBelow, lineBreaks, makeChunk, partsOf } from "./chunk.ts";
import { excerptOf } from "./excerpt.ts";
import type { FindingPosition, collectFindings } from "./findings.ts";
import { layersOf } from "./layers.ts";
import { one } from "./matchers.ts";
import { hiddenParts, isIllustration } from "./prose.ts";
import type { TextPart } from "./read-text.ts";
import type { ScanSeverity } from "./report.ts";
import { send } from "./rules/exfiltration.ts";
import { rawTextRules } from "./rules/hidden-text.ts";
import { download } from "./rules/remote-code.ts";
import type { ApplyRule, Chunk, RuleSet, Span, TextFile, TextRule, TogetherRule } from "./scan-rule.ts";
import { joinedView, sameView, visibleView, type View } from "./views.ts";

export interface ScannedText {
  path: string;
  parts: Iterable<TextPart>;
  isProgram: boolean;
  isProse: boolean;
}

/** A part of the text of a file as it is written. */
interface Source extends TextPart {
  breaks(): readonly number[];
}

interface Place {
  file: TextFile;
  view: View;
  source: Source;
  /** Position in the file of an encoded text. */
  encodedAt?: number;
}

/** First position of each matcher of the rules about a whole file or skill. */
type Firsts = Map<TogetherRule, (FindingPosition | undefined)[]>;

/** Encoded texts in encoded texts that are read. */
const maxLayers = 3;
const callsOut = [one(send), one(download)];

export function makeTextScanner(
  rules: RuleSet,
  findings: ReturnType<typeof collectFindings>,
  apply: ApplyRule,
) {
  let callsNetwork = false;
  const ofSkill = new Map() as Firsts;

  const scanPart = (
    part: Span & { text: string },
    place: Place,
    textRules: readonly TextRule[],
    hidden: readonly Span[],
    seen: Firsts,
  ) => {
    const own = hidden.map(({ start, end }) => ({ start: start - part.start, end: end - part.start }));
    const chunk = makeChunk(part.text, place.file, own);
    for (const rule of textRules) {
      if (rule.programsOnly === true && !place.file.isProgram) continue;
      for (const span of apply(rule.id, () => rule.match(chunk)) ?? []) {
        const severity = severityOf(rule, span, chunk, place, part.start);
        if (severity !== undefined) findings.add(rule, severity, positionOf(span, part.start, place));
      }
    }
    if (!place.file.isProgram) return;
    callsNetwork ||= callsOut.some((match) => match(chunk).length > 0);
    for (const rule of rules.together) {
      const firsts = seen.get(rule) ?? rule.together.map(() => undefined);
      seen.set(
        rule,
        firsts.map((known, index) => {
          const [span] = known ? [] : (apply(rule.id, () => rule.together[index]!(chunk)) ?? []);
          return known ?? (span && fixed(positionOf(span, part.start, place)));
        }),
      );
    }
  };

  const scanView = (place: Place, textRules: readonly TextRule[], seen: Firsts) => {
    const hidden = place.file.isProse ? hiddenParts(place.view.text) : [];
    for (const { text, offset } of partsOf(place.view.text))
      scanPart({ text, start: offset, end: offset + text.length }, place, textRules, hidden, seen);
  };

  const scanLayers = (place: Place, layer: number, seen: Firsts): void => {
    if (layer > maxLayers) return;
    for (const { text, offset } of apply("layers", () => layersOf(place.view.text)) ?? []) {
      const encodedAt = place.encodedAt ?? place.view.original(offset);
      const inner: Place = {
        file: { ...place.file, isDecoded: true, isProse: false },
        view: visibleView(text),
        source: place.source,
        encodedAt,
      };
      scanView(inner, rules.text, seen);
      scanLayers(inner, layer + 1, seen);
    }
  };

  return {
    scan({ path, parts, isProgram, isProse }: ScannedText): void {
      const file: TextFile = { path, isProgram, isProse, isDecoded: false };
      const seen = new Map() as Firsts;
      for (const part of parts)
        if (part.line === undefined)
          scanView({ file, view: sameView(part.text), source: sourceOf(part) }, rules.text, seen);
        else scanText(part, file, seen);
      finishFile(seen);
    },
    /** Applies the rules about the whole skill. */
    finish(): void {
      for (const [rule, firsts] of ofSkill) {
        const last = firsts.at(-1);
        if (last !== undefined && firsts.every((first) => first !== undefined))
          findings.add(rule, rule.severity, last);
      }
    },
    callsNetwork: () => callsNetwork,
  };

  function scanText(part: TextPart, file: TextFile, seen: Firsts): void {
    const view = visibleView(part.text);
    const source = sourceOf(part);
    const place: Place = { file, view, source };
    scanRaw(source, file, seen);
    scanView(place, rules.text, seen);
    const joined = joinedView(view);
    if (joined) scanView({ ...place, view: joined }, rules.text, seen);
    scanLayers(place, 1, seen);
  }

  function scanRaw(source: Source, file: TextFile, seen: Firsts): void {
    const { text } = source;
    if (!/[^\t\n\r\x20-\x7e]/.test(text)) return;
    const place = { file: { ...file, isProse: false }, view: sameView(text), source };
    for (const { text: part, offset } of partsOf(text))
      if (/[^\t\n\r\x20-\x7e]/.test(part))
        scanPart({ text: part, start: offset, end: offset + part.length }, place, rawTextRules, [], seen);
  }

  function finishFile(seen: Firsts): void {
    for (const [rule, firsts] of seen) {
      if (rule.within === "skill") {
        const known = ofSkill.get(rule) ?? [];
        ofSkill.set(
          rule,
          firsts.map((first, index) => known[index] ?? first),
        );
      } else if (firsts.every((first) => first !== undefined)) findings.add(rule, rule.severity, firsts[0]!);
    }
  }
}

/** One part that is an example is enough: what remains of two is less than both. */
const isIllustrated = (rule: TextRule, { parts, ...span }: Span, { text }: Chunk) =>
  (parts ?? [span]).some((part) => isIllustration(text, part, rule.id.startsWith("instructions.")));

/** Severity of a match; undefined if it does not count. */
function severityOf(
  rule: TextRule,
  span: Span,
  chunk: Chunk,
  { file, view }: Place,
  offset: number,
): ScanSeverity | undefined {
  const base = (file.isProgram ? rule.inPrograms : undefined) ?? rule.severity;
  if (file.isDecoded) return base === "note" ? undefined : "malicious";
  const isRaised =
    view.isChanged(offset + span.start, offset + span.end) || chunk.isHidden(span.start, span.end);
  if (isRaised && base === "suspicious" && !rule.id.startsWith("secrets.")) return "malicious";
  if (base === "note" || isRaised || !file.isProse || !isIllustrated(rule, span, chunk)) return base;
  return rule.isConcrete === true ? "suspicious" : "note";
}

function positionOf(span: Span, offset: number, { file, view, source, encodedAt }: Place): FindingPosition {
  const at = encodedAt ?? view.original(offset + span.start);
  const excerpt = () =>
    encodedAt === undefined
      ? excerptOf(source.text, at, view.original(offset + span.end))
      : excerptOf(view.text, offset + span.start, offset + span.end);
  if (source.line === undefined) return { path: file.path, excerpt };
  const breaks = source.breaks();
  const line = countBelow(breaks, at);
  const isCut = line === 0 && source.isCut === true;
  const column = isCut ? undefined : at - (line === 0 ? 0 : breaks[line - 1]! + 1) + 1;
  return { path: file.path, line: source.line + line + 1, column, excerpt };
}

/** A position that outlasts the text of its part. */
function fixed({ excerpt, ...position }: FindingPosition): FindingPosition {
  const made = excerpt?.();
  return { ...position, excerpt: () => made ?? "" };
}

function sourceOf(part: TextPart): Source {
  let breaks: readonly number[] | undefined;
  return { ...part, breaks: () => (breaks ??= lineBreaks(part.text)) };
}
