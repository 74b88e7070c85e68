/** Paths of the client's state. */
import { join } from "node:path";

export interface StatePaths {
  root: string;
  config: string;
  lock: string;
  cache: string;
  /** Downloads and packages in progress; on the same disk as the cache, so that they can be renamed into it. */
  temporary: string;
}

export function statePaths(home: string): StatePaths {
  const root = join(home, ".svc");
  return {
    root,
    config: join(root, "config.json"),
    lock: join(root, "config.lock"),
    cache: join(root, "cache"),
    temporary: join(root, "tmp"),
  };
}
