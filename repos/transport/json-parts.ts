/**
 * Bounds JSON while it arrives: a few megabytes of brackets or names take seconds to parse, and texts of the same size
 * a few milliseconds.
 */
import { RepoError } from "../errors.ts";

const [quote, backslash, newline, carriageReturn] = [0x22, 0x5c, 0x0a, 0x0d];
const [openList, openObject, comma, colon] = [0x5b, 0x7b, 0x2c, 0x3a];

/**
 * Counts the brackets, commas and colons outside of texts: of a body, or of each event of a stream. The returned
 * function takes the next bytes, and throws `remote_too_large` at more than `max`.
 */
export function countJsonParts(host: string, max: number, isStream: boolean): (piece: Uint8Array) => void {
  let parts = 0;
  let isText = false;
  let isEscaped = false;
  let isLineEmpty = true;
  /** A line break ends a text, which can't contain one, and an empty line ends an event. */
  const endLine = (byte: number) => {
    isText = isEscaped = false;
    if (byte === carriageReturn) return;
    if (isLineEmpty) parts = 0;
    isLineEmpty = true;
  };
  return (piece) => {
    // Not by an iterator, which takes several times as long.
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (isStream && (byte === newline || byte === carriageReturn)) {
        endLine(byte);
        continue;
      }
      isLineEmpty = false;
      if (isEscaped) isEscaped = false;
      else if (byte === quote) isText = !isText;
      else if (isText) isEscaped = byte === backslash;
      else if (byte === openList || byte === openObject || byte === comma || byte === colon) parts++;
    }
    if (parts > max)
      throw new RepoError(
        "remote_too_large",
        `${host} sends JSON with more than ${max} brackets, commas and colons`,
      );
  };
}
