/** Processors for tests of the queue itself, which need only one or two jobs. */
import { jobPolicies, type JobName, type Processors } from "../../src/queue/jobs.ts";

/** The same processor for every job of the catalog. */
export function everyProcessor(process: () => Promise<void>): Processors {
  const processors: Partial<Processors> = {};
  for (const name of Object.keys(jobPolicies) as JobName[]) processors[name] = process;
  return processors as Processors;
}
