/** Checks of the machine before a start does any work: what is wrong is one sentence with the remedy. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { probeObjectStore } from "../../repos/object-store/probe.ts";
import type { Config } from "../config.ts";

/**
 * Creates a folder of the service if it is missing, and requires that it can be written. Folders are created one by
 * one, since the recursive creation of Node.js never ends where the system says that a parent does not exist
 * (`/proc`). `variable` names what has set it. Throws an Error.
 */
export function requireFolder(folder: string, variable: string): void {
  try {
    createMissing(folder);
    const probe = path.join(folder, `.write-test-${process.pid}`);
    writeFileSync(probe, "", { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `The folder ${folder} can't be written (${code ?? message}): give the user that runs the service the right to ` +
        `write in it, or set ${variable} to another folder.`,
      { cause: error },
    );
  }
}

function createMissing(folder: string): void {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) createMissing(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Whether a location is the address of a bucket, not a folder. */
export const isAddress = (location: string): boolean => /^\w+:\/\//.test(location);

/** Requires that the object store of the repositories can be used, if there is one. Throws an Error with a sentence. */
export async function requireStore({
  gitStore,
  cacheDir,
}: Config): Promise<{ isConditional: boolean } | undefined> {
  if (gitStore === undefined) return undefined;
  requireFolder(cacheDir, "CACHE_DIR");
  return probeObjectStore(gitStore);
}

/** Throws with the code EADDRINUSE, EACCES or EADDRNOTAVAIL if nothing can listen there. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen({ host, port, exclusive: true }, resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
}
