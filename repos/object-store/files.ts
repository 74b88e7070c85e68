/** Transfer of objects from and to local files. */
import { open } from "node:fs/promises";
import { RepoError, asRepoError } from "../errors.ts";
import type { ObjectStore } from "./types.ts";

const pieceBytes = 8 * 1024 * 1024;

/** Stores a file as an object whose content never changes. Throws `RepoError`. */
export async function putFile(objects: ObjectStore, key: string, path: string): Promise<void> {
  try {
    const file = await open(path, "r");
    try {
      await objects.putLarge(key, (await file.stat()).size, async (offset, length) => {
        const bytes = Buffer.allocUnsafe(length);
        const { bytesRead } = await file.read(bytes, 0, length, offset);
        if (bytesRead < length)
          throw new RepoError("storage_unavailable", "a file became shorter while it was sent");
        return bytes;
      });
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asRepoError(error, "store a file");
  }
}

/** Writes an object to a new file. False if there is no such object. Throws `RepoError`. */
export async function getFile(objects: ObjectStore, key: string, path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      let size: number | undefined;
      for (let at = 0; size === undefined || at < size; at += pieceBytes) {
        const found = await objects.getRange(key, { start: at, length: pieceBytes });
        if (found === undefined) return false;
        size ??= found.size;
        if (found.size !== size || found.bytes.length !== Math.min(pieceBytes, size - at))
          throw new RepoError("storage_unavailable", "an object ended before its size");
        await file.appendFile(found.bytes);
      }
      return true;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asRepoError(error, "read an object into a file");
  }
}
