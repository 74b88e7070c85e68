import { createHash } from "node:crypto";
import { format, formatVersion, versionWithoutEnd, type End, type Header } from "./format.ts";

/** The version of an export's format. Throws if the text is not the header of one that this program reads. */
export function readFormatVersion(text: string): number {
  let header: Partial<Header> = {};
  try {
    header = JSON.parse(text) as Partial<Header>;
  } catch {
    // Reported below, like every other line that is not a header.
  }
  const { version = Number.NaN } = header;
  if (header.format !== format) throw new Error("The file is not an export of this service.");
  if (version !== formatVersion && version !== versionWithoutEnd)
    throw new Error(`The export has format ${version}; this program reads up to ${formatVersion}.`);
  return version;
}

/**
 * The header and the content of an export, without its end. Throws after the last line if the end is missing, or if
 * lines are missing or were changed.
 */
export async function* checkedLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let version: number | undefined;
  let sha256: string | undefined;
  for await (const text of lines) {
    if (text.trim() === "") continue;
    if (sha256 !== undefined) throw new Error("The export has lines after its end. Use another copy.");
    version ??= readFormatVersion(text);
    sha256 = text.startsWith('{"end":') ? readEnd(text) : undefined;
    if (sha256 !== undefined) continue;
    hash.update(`${text}\n`);
    yield text;
  }
  if (version === undefined) throw new Error("The file is empty, so it is not an export of this service.");
  if (version === versionWithoutEnd) return;
  if (sha256 === undefined)
    throw new Error(
      "The export is incomplete: its end is missing. Use a complete copy, or make another export.",
    );
  if (sha256 !== hash.digest("hex"))
    throw new Error("The export is damaged: lines are missing or were changed. Use another copy.");
}

/** Undefined if the line is cut off. */
function readEnd(text: string): string | undefined {
  try {
    return (JSON.parse(text) as End).end.sha256;
  } catch {
    return undefined;
  }
}
