/** A tool's file that can't be edited: the reason, and what a person adds to it. */
import { previewEntry } from "../../../contract/mcp-entries/index.ts";
import type { McpServer, SuppliedValues } from "../../../contract/mcp-entries/server.ts";
import { messageOf } from "../../errors.ts";
import { type Position, UnusableFile } from "../edit/text.ts";
import type { EntryFile } from "./plan.ts";

/** A file that stays as it is. */
export interface FailedEntry extends Partial<Position> {
  platform: string;
  path: string;
  error: string;
  /** The content of such a file with only this entry, for a person to copy; it has no values of members. */
  snippet?: string;
}

interface Unusable {
  error: string;
  position?: Position;
}

export function failedEntry(
  { platform, path, definition: { tool } }: EntryFile,
  { server, values }: { server: McpServer; values: SuppliedValues },
  { error, position }: Unusable,
): FailedEntry {
  // It may end up in a log, so that it has the names of values only.
  const named = Object.entries(values).map(([name, value]) => [
    name,
    "text" in value ? { text: `<${name}>` } : value,
  ]);
  const preview = previewEntry(tool, server, Object.fromEntries(named) as SuppliedValues);
  return { platform, path, error, ...position, snippet: "text" in preview ? preview.text : undefined };
}

/** The result, or the reason why the file can't be used. */
export async function attempt<T extends object>(
  { path }: Pick<EntryFile, "path">,
  work: () => Promise<T>,
): Promise<T | Unusable> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnusableFile)
      return { error: `${path}: ${error.message}`, position: error.position };
    const reason = messageOf(error);
    return { error: reason.includes(path) ? reason : `${path}: ${reason}` };
  }
}
