/**
 * Writing a file whole or not at all, under names that can be told to be ours: a run that is killed leaves a
 * temporary file behind, possibly in somebody's project, and the next one has to know it for what it is. (The usual
 * library numbers its temporary files, so that they cannot be told from a user's own, and takes a short write on a
 * full disk for a whole one.)
 */
import { chmod, chown, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Names beside a destination while it is being changed; hidden, so that tools do not load them. */
const besidePattern = /^\.svc-[0-9a-f]{12}-(?:new|old)$/;

/** A fresh name in the destination's own folder, so that a rename is enough. */
export function besideName(path: string, label: "new" | "old"): string {
  return join(dirname(path), `.svc-${randomHex(6)}-${label}`);
}

/** Not by `node:crypto`, whose loading every start would pay for. */
export function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}

export function isBesideName(name: string): boolean {
  return besidePattern.test(name);
}

/** Clears what stopped runs left in a folder. Only with the state's lock held: no other run is at work then. */
export async function clearLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter(isBesideName))
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Flushed to disk before it takes the place of the old file; a link is written through. Mode and owner of the old
 * file are kept unless a mode is given.
 */
export async function writeAtomic(path: string, text: string, mode?: number): Promise<void> {
  const real = await realpath(path).catch(() => path);
  const old = await stat(real).catch(() => undefined);
  const fresh = besideName(real, "new");
  try {
    const file = await open(fresh, "wx", mode ?? 0o666);
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
      // Only root may give files away; anybody else keeps what they can write.
      await chown(fresh, old.uid, old.gid).catch(() => undefined);
    const wantedMode = mode ?? (old === undefined ? undefined : old.mode & 0o7777);
    if (wantedMode !== undefined) await chmod(fresh, wantedMode);
    await rename(fresh, real);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
