/**
 * Atomic writes, with recognizable names of temporary files: a killed run leaves a
 * temporary file, possibly in a project, and the next run must recognize it. (The usual
 * library numbers its temporary files, so that they look like a user's own, and accepts a partial write on a
 * full disk.)
 */
// `promises` of node:fs is loaded on its first use: reading the state needs none of it.
import { promises as files } from "node:fs";
import { dirname, join } from "node:path";

/** Names of temporary files next to a destination; hidden, so that tools don't load them. */
const temporaryPattern = /^\.svc-[0-9a-f]{12}-(?:new|old)$/;

/** A new name in the destination's folder, so that a rename is sufficient. */
export function temporaryName(path: string, label: "new" | "old"): string {
  return join(dirname(path), `.svc-${randomHex(6)}-${label}`);
}

/** Not with `node:crypto`, which would slow down every start. */
export function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}

export function isTemporaryName(name: string): boolean {
  return temporaryPattern.test(name);
}

/**
 * Removes temporary files of interrupted runs from a folder. Requires the state's lock: no other run uses them then.
 */
export async function clearLeftovers(folder: string): Promise<void> {
  const names = await files.readdir(folder).catch(() => []);
  for (const name of names.filter(isTemporaryName))
    await files.rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
}

/** Replaces a file without a flush: for files that are written again if they are damaged. */
export async function writeReplaceable(path: string, text: string): Promise<void> {
  const fresh = temporaryName(path, "new");
  try {
    await files.writeFile(fresh, text, { flag: "wx" });
    await files.rename(fresh, path);
  } catch (error) {
    await files.rm(fresh, { force: true });
    throw error;
  }
}

/**
 * Flushes the file before it replaces the old one, and writes through a link. Mode and owner of the old
 * file are kept unless a mode is given.
 */
export async function writeAtomic(path: string, text: string, mode?: number): Promise<void> {
  const real = await files.realpath(path).catch(() => path);
  const old = await files.stat(real).catch(() => undefined);
  const fresh = temporaryName(real, "new");
  try {
    const file = await files.open(fresh, "wx", mode ?? 0o666);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (
      old !== undefined &&
      process.getuid !== undefined &&
      (old.uid !== process.getuid() || old.gid !== process.getgid?.())
    )
      // Only root may change the owner; others keep a file that they can write.
      await files.chown(fresh, old.uid, old.gid).catch(() => undefined);
    const wantedMode = mode ?? (old === undefined ? undefined : old.mode & 0o7777);
    if (wantedMode !== undefined) await files.chmod(fresh, wantedMode);
    await files.rename(fresh, real);
  } catch (error) {
    await files.rm(fresh, { force: true });
    throw error;
  }
}
