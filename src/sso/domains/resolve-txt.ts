/** Look-ups of TXT records with the name servers of the machine. */
import { Resolver } from "node:dns/promises";

/** Time for the answer of one name server, which is asked twice, and for the whole look-up. */
const attemptMs = 2000;
const totalMs = 8000;

/** The records of a name, each in its parts. Rejects with the error codes of `node:dns`. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

/** A look-up with time limits; `servers` and the limits differ in tests only. */
export function openTxtResolver(
  options: { servers?: string[]; attemptMs?: number; totalMs?: number } = {},
): ResolveTxt {
  return async (name) => {
    // One per look-up, since `cancel` ends all of a resolver.
    const resolver = new Resolver({ timeout: options.attemptMs ?? attemptMs, tries: 2 });
    if (options.servers) resolver.setServers(options.servers);
    const timer = setTimeout(() => resolver.cancel(), options.totalMs ?? totalMs);
    try {
      return await resolver.resolveTxt(name);
    } finally {
      clearTimeout(timer);
    }
  };
}
