/** Loads of scripts and style sheets that wait for the service instead of failing: the page that is open stays. */
import { isOtherRelease, noteOutdated, untilReachable } from "./state.ts";

const maxAttempts = 4;

/**
 * Loads a chunk. Without a connection it is loaded once there is one; a chunk of an earlier release never arrives, and
 * the state becomes `outdated`.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await load();
    } catch {
      await untilReachable();
      if (attempt < maxAttempts && !(await isOtherRelease().catch(() => false))) continue;
      noteOutdated();
      return new Promise(() => {});
    }
  }
}
