/** Observations of a child process, which its parent counts: only the parent has a page. */
import { noteCount, noteEnded, timedBy, type Observer } from "../../contract/observation.ts";

/** An operation that has ended, or a count. */
export type Observation =
  | { kind: "ended"; of: Parameters<Observer["ended"]> }
  | { kind: "count"; of: Parameters<Observer["count"]> };

const flushMs = 1000;
/** Observations that are sent at once. */
const batchSize = 500;

export interface Relay {
  observer: Observer;
  /** Sends what was not sent yet. */
  flush(): void;
}

/** An observer that collects for a moment, and sends. */
export function openRelay(send: (observations: Observation[]) => void): Relay {
  let collected: Observation[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (collected.length > 0) send(collected);
    collected = [];
  };
  const add = (one: Observation) => {
    if (collected.push(one) >= batchSize) flush();
    else timer ??= setTimeout(flush, flushMs).unref();
  };
  const ended: Observer["ended"] = (...of) => add({ kind: "ended", of });
  const observer: Observer = {
    run: timedBy(ended),
    ended,
    count: (...of) => add({ kind: "count", of }),
  };
  return { observer, flush };
}

/** Counts what a child process has observed. */
export function countRelayed(observations: readonly Observation[]): void {
  for (const { kind, of } of observations) {
    if (kind === "ended") noteEnded(...of);
    else noteCount(...of);
  }
}
