/** Observation of a process: metrics if it has a page of them, traces if they are configured, both, or nothing. */
import { observeWith, type Observer } from "../../contract/observation.ts";
import type { Config } from "../config.ts";
import { openMetrics, type Metrics } from "../metrics/metrics.ts";

interface Part {
  version: string;
  /** Role of the process, or `job` for one that runs jobs for another. */
  part: string;
}

/** Begins to observe the operations of this process; before its engines are opened. `close` sends the last spans. */
export async function observeProcess(
  config: Config,
  part: Part,
): Promise<{ metrics: Metrics | undefined; close(): Promise<void> }> {
  const metrics = config.metricsPort === undefined ? undefined : openMetrics();
  return { metrics, close: await observeBy(config, metrics?.observer, part) };
}

/** Returns a function that sends the last spans. OpenTelemetry is loaded only if it is needed. */
export async function observeBy(
  { tracing }: Config,
  metrics: Observer | undefined,
  part: Part,
): Promise<() => Promise<void>> {
  if (!tracing) {
    observeWith(metrics);
    return async () => {};
  }
  const { openTraces } = await import("./open-traces.ts");
  const { observer, close } = openTraces(tracing, metrics, part);
  observeWith(observer);
  return close;
}
