/**
 * Installs of a skill for its reach. Those of a skill with many are read once in a minute in each process, as reading
 * 20,000 takes longer than everything else; those of all other skills are read each time.
 */
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { compactInstalls, type CompactInstalls } from "./count-installs.ts";

/** Maximum number of install locations that are counted. */
export const maxInstalls = 100_000;
/** Number of install locations up to which a skill's are read each time. */
const maxUncached = 1000;
const keptMs = 60_000;
const readConcurrency = 2;

const cacheOf = perApp(
  () =>
    new LRUCache<string, CompactInstalls>({
      maxSize: 5 * maxInstalls,
      sizeCalculation: ({ size }) => size + 1,
      ttl: keptMs,
    }),
);
const flightsOf = perApp(() => new SingleFlight<CompactInstalls>(readConcurrency));

export async function readInstalls(app: App, skillId: string): Promise<CompactInstalls> {
  const cache = cacheOf(app);
  const kept = cache.get(skillId);
  if (kept) return kept;
  const few = await read(app, skillId, maxUncached + 1);
  if (few.size <= maxUncached) return few;
  return flightsOf(app).run(skillId, async () => {
    const installs = await read(app, skillId, maxInstalls);
    cache.set(skillId, installs);
    return installs;
  });
}

const read = async (app: App, skillId: string, limit: number) =>
  compactInstalls(await app.storage.installs.listForReach(skillId, limit));
