/** The part of a line around a finding, as it may be shown: without secrets and without hidden characters. */
import { secretOverlap, secretsInText } from "../checks/secret-rules.ts";
import { codePointName, hiddenCharacters } from "../checks/unsafe-characters.ts";

const before = 40;
const maxLength = 160;
const mask = "•••";

export function excerptOf(text: string, start: number, end: number): string {
  const left = text.slice(Math.max(0, start - before), start);
  const from = start - left.length + Math.max(left.lastIndexOf("\n") + 1, endOfHidden(left));
  const right = text.slice(start, from + maxLength).split("\n", 1)[0]!;
  const to = Math.min(start + right.length, Math.max(end + before, start + 1));
  // Around the excerpt as well, since a part of a secret does not look like one.
  const around = Math.max(0, from - secretOverlap);
  const secrets = secretsInText(text.slice(around, to + secretOverlap), 100);
  let shown = "";
  let at = from;
  for (const { offset, length } of secrets) {
    const [secretFrom, secretTo] = [around + offset, around + offset + length];
    if (secretTo <= at || secretFrom >= to) continue;
    shown += text.slice(at, Math.max(at, secretFrom)) + mask;
    at = Math.min(to, secretTo);
  }
  shown += text.slice(at, to);
  const isCutBefore = from > 0 && text[from - 1] !== "\n";
  const isCutAfter = to < text.length && text[to] !== "\n";
  const whole = shown.replace(/[\ud800-\udbff]$/, "").replace(/^[\udc00-\udfff]/, "");
  const cut = `${isCutBefore ? "…" : ""}${whole}${isCutAfter ? "…" : ""}`;
  return escapeHidden(cut.trim());
}

/** The end of the last run of hidden characters, whose names would take the place of what was found. */
function endOfHidden(text: string): number {
  const marked = text.replace(hiddenCharacters, (character) => "\0".repeat(character.length));
  const last = marked.lastIndexOf("\0\0");
  return last < 0 ? 0 : last + 2;
}

/** Excerpts in which every character is shown; a long run of hidden ones is cut. */
function escapeHidden(text: string): string {
  const escaped = text
    .replace(/\t/g, " ")
    .replace(hiddenCharacters, (character) => `<${codePointName(character)}>`)
    .replace(/[\ufe00-\ufe0f]{2,}/g, (run) => Array.from(run, (one) => `<${codePointName(one)}>`).join(""));
  const shown = escaped.length > 2 * maxLength ? `${escaped.slice(0, 2 * maxLength)}…` : escaped;
  // A copy: a part of a string keeps the whole in memory.
  return JSON.parse(JSON.stringify(shown)) as string;
}
