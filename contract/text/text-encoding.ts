/** Texts as bytes: UTF-8, with a byte order mark or without. Pure. */
import type { Fault } from "../checks/skill-rules.ts";

/** The text, byte order mark included; undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether the bytes are UTF-16, by its byte order mark or by the zeros of its first two letters. */
function isUtf16([a, b, c, d]: Uint8Array): boolean {
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  return (a === 0 && c === 0 && b !== 0 && d !== 0) || (b === 0 && d === 0 && a !== 0 && c !== 0);
}

/** Text of a file that is to be read as one, or the reason why it is none. */
export function readUtf8(bytes: Uint8Array): { text: string } | { fault: Fault<"text_encoding"> } {
  const rule = "text_encoding";
  const remedy = "Save it as UTF-8.";
  if (isUtf16(bytes))
    return {
      fault: {
        rule,
        reason: "it is UTF-16, which most tools can't read",
        remedy,
      },
    };
  const text = decodeUtf8(bytes);
  if (text !== undefined) return { text };
  return {
    fault: {
      rule,
      reason: "it is not UTF-8 text",
      remedy,
      line: brokenLine(bytes),
    },
  };
}

/** The line of the first byte that is not UTF-8, from 1. */
function brokenLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline < 0 ? bytes.length : newline + 1;
    try {
      decoder.decode(bytes.subarray(from, end));
    } catch {
      return line;
    }
    from = end;
  }
  return line;
}
