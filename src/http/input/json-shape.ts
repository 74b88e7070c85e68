/**
 * Bounds of JSON before it is parsed. A body of 1 MiB takes up to 0.2 s to parse if it consists of brackets or of
 * different names, and much longer to validate, while one of long texts takes a few milliseconds.
 */
import { limits } from "../../../contract/limits.ts";

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The problem with a text whose JSON has too many levels or parts, as the end of a sentence. */
export function faultOfShape(text: string): string | undefined {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openList || code === openObject) {
      parts++;
      if (++depth > limits.jsonDepth) return `has more than ${limits.jsonDepth} levels`;
    } else if (code === closeList || code === closeObject) depth--;
    else if (code === comma || code === colon) parts++;
  }
  if (parts > limits.jsonParts) return `has more than ${limits.jsonParts} brackets, commas and colons`;
  return undefined;
}

/** Position of the closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
