/** Texts in any encoding, also between other bytes. In parts: a text of 100 MiB would fill the memory. */
import { overlap } from "./chunk.ts";

/** A part of the text of a file. Parts overlap, so that what belongs together is in one of them. */
export interface TextPart {
  text: string;
  /** Line breaks before it; undefined for texts between other bytes, which have no lines. */
  line?: number;
  /** It begins within a line. */
  isCut?: boolean;
}

export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** Bytes by which an encoding is guessed. */
const sniffed = 4096;
/** Share of zeros from which texts in a binary file are taken for UTF-16 or UTF-32. */
const wideShare = 0.15;
/** Texts in UTF-16 between other bytes. */
const wideRuns = /(?:[\t\n\r\x20-\x7e]\0){8,}|(?:\0[\t\n\r\x20-\x7e]){8,}/g;

const partBytes = 4 * 1024 * 1024;
const bytesPartBytes = 1024 * 1024;
/** Longer than a comment whose end is looked for. */
const partOverlap = 64 * 1024;

/**
 * The encoding of a text; undefined if the file as a whole is not a text. Bytes that are not valid in it, as those of
 * older encodings, hide nothing of what is around them.
 */
export function encodingOf(data: Uint8Array): Encoding | undefined {
  const [a, b] = data;
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  const head = data.subarray(0, sniffed);
  const zeros = countZeros(head);
  if (zeros === 0 && data.indexOf(0) < 0) return hasManyControls(head) ? undefined : "utf-8";
  const odd = countZeros(head, 1);
  const isWide = zeros > head.length * 0.3 && (odd > zeros * 0.9 || odd < zeros * 0.1);
  return isWide ? (odd > zeros / 2 ? "utf-16le" : "utf-16be") : undefined;
}

/** The parts of a text. */
export function* readText(data: Uint8Array, encoding: Encoding): Generator<TextPart> {
  const unit = encoding === "utf-8" ? 1 : 2;
  let line = 0;
  let isCut = false;
  for (let from = 0; ;) {
    const end = Math.min(data.length, from + partBytes + partOverlap);
    const decoded = new TextDecoder(encoding, { ignoreBOM: true }).decode(data.subarray(from, end));
    // The mark of UTF-16 may be followed by anything; UTF-32 begins with the same two bytes.
    const text = unit === 2 && decoded.includes("\0") ? decoded.replaceAll("\0", "") : decoded;
    yield { text, line, isCut };
    if (end >= data.length) return;
    const next = nextStart(data, from, from + partBytes, unit);
    line += countBreaks(data.subarray(from, next), encoding);
    isCut = data.subarray(next - unit, next).indexOf(10) < 0;
    from = next;
  }
}

/** After a line break if one is near; else within a character of no text and of no code in Base64. */
function nextStart(data: Uint8Array, former: number, wanted: number, unit: number): number {
  const line = data.subarray(wanted, wanted + partOverlap / 2).indexOf(10);
  // In UTF-16 with the byte that follows or precedes, at an even offset.
  if (line >= 0) return wanted + (unit === 1 ? line + 1 : (line & ~1) + 2);
  let start = wanted;
  if (unit === 1) while (start > former && (data[start]! & 0xc0) === 0x80 && wanted - start < 3) start--;
  let run = start;
  while (run > former && isBase64(data[run - unit]!, data[run - 1]!)) run -= unit;
  return start - ((start - run) % (4 * unit));
}

/** Either byte of a character in UTF-16, the only one of one in UTF-8. */
const isBase64 = (first: number, last: number) => /[A-Za-z0-9+/_-]/.test(String.fromCharCode(first || last));

function countBreaks(data: Uint8Array, encoding: Encoding): number {
  let count = 0;
  for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, at + 1)) {
    const other = encoding === "utf-8" ? 0 : encoding === "utf-16le" ? data[at + 1] : data[at - 1];
    if (other === 0) count++;
  }
  return count;
}

/**
 * Texts between the bytes of another format. Each byte is read as a character, so that texts in ASCII are found, and
 * without the zeros those in UTF-16.
 */
export function* readBytes(data: Uint8Array): Generator<TextPart> {
  for (let offset = 0; ; offset += bytesPartBytes) {
    const part = data.subarray(offset, offset + bytesPartBytes + overlap);
    const text = new TextDecoder("latin1").decode(part);
    const zeros = countZeros(part);
    yield {
      text:
        zeros > part.length * wideShare
          ? text.replaceAll("\0", "")
          : zeros === 0
            ? text
            : text.replace(wideRuns, (run) => run.replaceAll("\0", "")),
    };
    if (offset + part.length >= data.length) return;
  }
}

function countZeros(bytes: Uint8Array, offset?: number): number {
  let count = 0;
  for (let i = offset ?? 0; i < bytes.length; i += offset === undefined ? 1 : 2) if (bytes[i] === 0) count++;
  return count;
}

function hasManyControls(head: Uint8Array): boolean {
  const controls = head.filter(
    (code) => code < 0x20 && code !== 9 && code !== 10 && code !== 13 && code !== 12 && code !== 27,
  );
  return controls.length > head.length * 0.02;
}
