import { dirname, join } from "node:path";
import { isThere } from "./digest.ts";

/** Whether a folder is in a Git work tree. */
export async function isInWorkTree(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isThere(join(at, ".git"))) return true;
    if (dirname(at) === at) return false;
  }
}
