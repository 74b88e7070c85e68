/** The release that a process runs: the version of package.json, and the commit that it was built from. */
import { readFileSync } from "node:fs";

export interface Release {
  version: string;
  /** Absent if it was not built from a Git checkout. */
  commit?: string;
}

/**
 * @param root the folder of package.json; `dist/build.json` is there once the service was built
 */
export function readRelease(root: URL): Release {
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), "utf8")) as Partial<Release>;
  const { version = "" } = read("package.json");
  try {
    const { commit } = read("dist/build.json");
    return commit === undefined ? { version } : { version, commit };
  } catch {
    return { version };
  }
}
