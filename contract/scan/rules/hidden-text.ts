/** Text that people do not see, or see as another one. */
import { anyOf, near, one, signal } from "../matchers.ts";
import type { Chunk, Matcher, Span, TextRule } from "../scan-rule.ts";
import { mixedWordsIn } from "../views.ts";

const tagRun = signal([], /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8})[\u{e0020}-\u{e007e}]{4,}/gu);
const selectorRun = signal([], /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}/gu);
const invisibleRun = signal([], /[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180e\u3164\uffa0\u115f]{3,}/gu);
const longInvisibleRun = signal(
  [],
  /[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180e\u3164\uffa0\u115f]{16,}/gu,
);
const overrides = signal([], /[\u202d\u202e]/gu);
const isolates = signal([], /[\u202a\u202b\u2066-\u2068]/gu);
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const known = new WeakMap<Chunk, Span[]>();
/** Two rules need them, and looking for them takes long. */
const mixedWords: Matcher = (chunk) => {
  const spans = known.get(chunk) ?? mixedWordsIn(chunk.text);
  known.set(chunk, spans);
  return spans;
};
const cyrillic = /[\u0400-\u052f]/g;
const addressHost = /:\/\/[^\s/]{0,80}$/;
const agents = signal(
  [
    "agent",
    "assistant",
    "claude",
    "copilot",
    "codex",
    "chatgpt",
    "gemini",
    "llm",
    "system",
    "when the user",
    "you must",
    " ai",
    "ai ",
    "model",
    "ai:",
  ],
  /\b(?:AIs?|assistants?|agents?|claude|copilot|codex|chatgpt|gemini|(?:language\s)?models?|LLMs?)\b[^\n]{0,80}\b(?:must|always|should|never|ignore|run|execute|send|fetch|do\s{1,3}not|don[’']t|you|please|make\s{1,3}sure|remember|note)\b/gi,
  /\bSYSTEM\s{0,3}:|\bwhen(?:ever)?\s{1,3}the\s{1,3}user\b|\byou\s{1,3}must\b/gi,
);
const orders = signal(
  [
    "ignore",
    "disregard",
    "forget",
    "instead",
    "override",
    "secret",
    "silent",
    "user",
    "curl",
    "wget",
    "http",
    "bash",
    "credential",
    "environment",
  ],
  /\b(?:ignore|disregard|forget|override)\s{1,3}(?:[\w'’]{1,12}\s{1,3}){0,4}(?:instructions?|rules?|prompts?|guidelines?|above|everything)\b/gi,
  /\b(?:silently|secretly|covertly)\b/gi,
  /\b(?:do\s{1,3}not|don[’']t|never|without)\s{1,3}(?:tell|mention|inform|show|reveal|telling|mentioning|informing)\w{0,3}\b/gi,
  /\b(?:curl|wget)\s[^\n]{0,120}(?:https?:|\$)/gi,
  /\b(?:run|execute)\b[^\n]{0,60}(?:\bbash\b|\bsh\b|\bpython3?\b|\bnode\b|https?:|`)/gi,
  /\b(?:send|post|upload|forward|submit|append|exfiltrate|transmit)\b[^\n]{0,160}(?:https?:|credentials?|environment|secrets?|api\s{0,1}keys?|passwords?|conversation|\.env\b|\.ssh)/gi,
  /\b(?:read|cat|open)\b[^\n]{0,60}(?:\.ssh|\.aws|\.env\b|credentials)/gi,
);

/** Only in the parts of Markdown that are not shown. */
const unseen =
  (match: Matcher): Matcher =>
  (chunk) =>
    match(chunk).filter(({ start, end }) => chunk.isHidden(start, end));
const inText =
  (match: Matcher, where: (line: string, text: string) => boolean): Matcher =>
  (chunk) =>
    match(chunk).filter(({ start, end }) => {
      const from = chunk.text.lastIndexOf("\n", start - 1) + 1;
      const to = chunk.text.indexOf("\n", end);
      return where(
        chunk.text.slice(Math.max(from, start - 400), to === -1 ? end + 400 : Math.min(to, end + 400)),
        chunk.text,
      );
    });
const isCyrillicText = (text: string) => (text.slice(0, 20_000).match(cyrillic)?.length ?? 0) > 40;

/** For the text as it is written, before hidden characters are removed. */
export const rawTextRules: readonly TextRule[] = [
  {
    id: "hidden-text.tag-characters",
    severity: "malicious",
    sentence: "Has a text in tag characters, which agents read and people don't see.",
    match: one(tagRun),
    isConcrete: true,
  },
  {
    id: "hidden-text.selector-run",
    severity: "malicious",
    sentence: "Has a run of variation selectors, in which data can be hidden.",
    match: one(selectorRun),
    isConcrete: true,
  },
  {
    id: "hidden-text.invisible-run",
    severity: "suspicious",
    sentence: "Has several invisible characters in a row.",
    match: one(invisibleRun),
    isConcrete: true,
  },
  {
    id: "hidden-text.invisible-message",
    severity: "malicious",
    sentence: "Has a long run of invisible characters, in which data can be hidden.",
    match: one(longInvisibleRun),
    isConcrete: true,
  },
  {
    id: "hidden-text.reordered",
    severity: "suspicious",
    inPrograms: "malicious",
    sentence: "Has characters that show the text in another order than it is run.",
    match: anyOf(
      one(overrides),
      inText(one(isolates), (line) => !rightToLeft.test(line)),
    ),
    isConcrete: true,
  },
  {
    id: "hidden-text.look-alike-address",
    severity: "malicious",
    sentence: "Has an address with letters of another alphabet that look like Latin ones.",
    match: (chunk) =>
      mixedWords(chunk).filter(({ start }) =>
        addressHost.test(chunk.text.slice(Math.max(0, start - 100), start)),
      ),
    isConcrete: true,
  },
  {
    id: "hidden-text.look-alike-word",
    severity: "note",
    inPrograms: "suspicious",
    sentence: "Has words with letters of another alphabet that look like Latin ones.",
    match: (chunk) =>
      isCyrillicText(chunk.text) ? [] : mixedWords(chunk).filter(({ start, end }) => end - start >= 4),
    isConcrete: true,
  },
];

export const hiddenTextRules: readonly TextRule[] = [
  {
    id: "hidden-text.comment-to-agent",
    severity: "note",
    sentence: "Addresses the agent in a part of the text that is not shown.",
    match: unseen(one(agents)),
  },
  {
    id: "hidden-text.hidden-orders",
    severity: "malicious",
    sentence: "Gives the agent orders in a part of the text that is not shown.",
    match: unseen(near(one(agents), one(orders), 8)),
  },
];
