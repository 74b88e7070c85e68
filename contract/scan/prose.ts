/** Parts of Markdown that people do not see, and places where a text describes what it warns of. */
import type { Span } from "./scan-rule.ts";

/** Comments, and elements that are not shown. Each is cut at a length far above what is harmless. */
const maxHidden = 20_000;
const invisible =
  /<(?:div|span|p|font|section|small|td|a)\b[^<>]{0,200}(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|opacity\s{0,3}:\s{0,3}0(?:\.0{1,4})?\s{0,3}[;"']|(?:[^-]|^)color\s{0,3}[:=]\s{0,3}["']?(?:white|#fff(?:fff)?\b|transparent)|\shidden\b)[^<>]{0,200}>/gi;
const linkComment = /^\[(?:\/\/|comment|\.|_)[^\]\n]{0,40}\]:\s{1,4}(?:#|<>)[^\n]{0,2000}/gim;

/** Sorted parts of a text that a reader of the rendered page does not see. */
export function hiddenParts(text: string): Span[] {
  const parts: Span[] = [];
  for (let at = text.indexOf("<!--"); at !== -1;) {
    const close = text.indexOf("-->", at + 4);
    const end = Math.min(close === -1 ? text.length : close + 3, at + maxHidden);
    parts.push({ start: at, end });
    at = text.indexOf("<!--", end);
  }
  for (const match of text.matchAll(invisible)) {
    const from = match.index + match[0].length;
    const close = text.indexOf("</", from);
    parts.push({ start: match.index, end: Math.min(close === -1 ? text.length : close, from + 4000) });
  }
  for (const match of text.matchAll(linkComment))
    parts.push({ start: match.index, end: match.index + match[0].length });
  return parts.toSorted((a, b) => a.start - b.start);
}

/** A refusal that governs what follows it: not "don't skip", but "don't run". */
const refusal =
  /\b(?:never|do\s{1,3}not|don[’']t|must\s{1,3}not|should\s{1,3}not|shouldn[’']t|avoid|refuse\s{1,3}to|instead\s{1,3}of|rather\s{1,3}than|not\s{1,3}to|without)\s{1,3}(?:ever\s{1,3}|blindly\s{1,3}|just\s{1,3})?(?:run|runn?ing|execut\w{1,4}|us(?:e|ing)|pip(?:e|ing)|past(?:e|ing)|install\w{0,3}|follow\w{0,3}|obey\w{0,3}|add\w{0,3}|suggest\w{0,3}|recommend\w{0,3}|writ(?:e|ing)|call\w{0,3}|pass\w{0,3}|send\w{0,3}|commit\w{0,4}|upload\w{0,3}|read\w{0,3}|curl|shell|commands?|patterns?|things|code|anything|instructions?|text)\b/i;
/** Nouns and verbs of texts about security. */
const subject =
  /\b(?:detect\w{0,4}|flags?|flagged|reject\w{0,3}|block\w{0,3}|report\w{0,3}|look(?:s|ing)?\s{1,3}(?:for|out)|search\w{0,3}\s{1,3}for|scan\w{0,4}\s{1,3}for|watch\w{0,3}\s{1,3}for|check\w{0,3}\s{1,3}for|attack\w{0,5}|attempts?|injection\w{0,1}|malicious|malware|suspicious|dangerous|unsafe|insecure|vulnerab\w{1,6}|anti-?patterns?|red\s{1,3}flags?|risk\w{0,3}|threats?|exploit\w{0,5}|payloads?|critical|treat\s{1,3}(?:it\s{1,3}|this\s{1,3})?as|untrusted|adversar\w{1,5}|jailbreak\w{0,4}|bypass\w{0,3}|exfiltrat\w{1,4}|escalation|obfuscat\w{1,4}|manipulat\w{1,4}|❌|⛔|🚫|bad|wrong)/i;
/** A refusal right before what was found, which begins with a verb. */
const refusalBefore =
  /\b(?:never|do\s{1,3}not|don[’']t|must\s{1,3}not|should\s{1,3}not|shouldn[’']t|avoid|instead\s{1,3}of|not\s{1,3}to|without)\s{1,3}(?:ever\s{1,3})?$/i;
const heading = /^#{1,6}\s/;

/** Characters before a match that may make it an illustration. */
const lookBehind = 240;
/** Characters before a match in which its heading is looked for. */
const maxAbove = 4000;

const isQuoted = (text: string, start: number, end: number) =>
  /["“”„«'‘`(]\s?[\w\s]{0,24}$/.test(text.slice(Math.max(0, start - 26), start)) &&
  /^[^\n"”]{0,60}["“”»'’`]/.test(text.slice(end, end + 62));

/**
 * Whether a text mentions what was found as an example of what not to do, or what to look for.
 * `isSpoken`: it is a sentence rather than a command, and quotation marks make it a quotation.
 */
export function isIllustration(text: string, { start, end }: Span, isSpoken: boolean): boolean {
  if (isSpoken && isQuoted(text, start, end)) return true;
  const above = text.slice(Math.max(0, start - maxAbove), start);
  const lineStart = above.lastIndexOf("\n") + 1;
  const before = above.slice(Math.max(lineStart, above.length - lookBehind));
  if (refusal.test(before) || refusalBefore.test(before) || subject.test(before)) return true;
  const after = text.slice(end, end + lookBehind).split("\n", 1)[0]!;
  const isListed = /^\s{0,12}(?:[|>*+-]|\d{1,3}[.)])/.test(above.slice(lineStart, lineStart + 16) || after);
  if (isListed && subject.test(after)) return true;
  // Lines that introduce a list, a quotation or a block of code, and the heading of the section.
  let introductions = 0;
  for (const line of above.slice(0, lineStart).split("\n").toReversed()) {
    if (heading.test(line)) return subject.test(line) || refusal.test(line);
    if (/^\s{0,12}(?:```|~~~|#|\/\/|>|$)/.test(line) || introductions >= 2) continue;
    if (!/[:.]\s{0,4}$/.test(line)) continue;
    introductions++;
    if (introductions === 1 && /:\s{0,4}$/.test(line) && (refusal.test(line) || subject.test(line)))
      return true;
  }
  return false;
}
