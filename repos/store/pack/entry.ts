/** Single pack entries in memory: what they are, and what they inflate to. */
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { RepoError } from "../../errors.ts";
import type { ObjectType } from "../objects.ts";
import * as format from "./format.ts";

const inflateAsync = promisify(zlib.inflate);
/** Below this, handing work to the thread pool costs more than inflating. */
const syncInflateBytes = 32 * 1024;

export interface ObjectHead {
  type: ObjectType;
  size: number;
}

export interface EntryStart extends ObjectHead {
  dataStart: number;
}

/** The head of a readable entry that is not a delta. */
export function wholeHead(entry: Buffer): EntryStart | undefined {
  try {
    const { type, size, dataStart } = format.parseEntryHead(entry);
    return type < format.offsetDelta ? { type: format.typeName(type), size, dataStart } : undefined;
  } catch {
    return undefined;
  }
}

const noInflate = (cause: unknown) =>
  new RepoError("object_corrupt", "a pack entry does not inflate", { cause });

/** The inflated bytes of an entry, of exactly the size its head says; at once where it is small. */
export function inflateEntry(
  entry: Buffer,
  { dataStart, size }: { dataStart: number; size: number },
): Buffer | Promise<Buffer> {
  const deflated = entry.subarray(dataStart);
  const check = (data: Buffer) => {
    if (data.length !== size)
      throw new RepoError("object_corrupt", "a pack entry has another size than declared");
    return data;
  };
  const stored = format.readStored(deflated, size);
  if (stored !== undefined) return stored;
  // One chunk of the right size saves copies; a stream that inflates to more is cut off and refused.
  const bounds = { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, Math.min(size + 1, 1 << 20)) };
  if (size > syncInflateBytes)
    return inflateAsync(deflated, bounds).then(check, (error: unknown) => {
      throw noInflate(error);
    });
  let data: Buffer;
  try {
    data = zlib.inflateSync(deflated, bounds);
  } catch (error) {
    throw noInflate(error);
  }
  return check(data);
}
