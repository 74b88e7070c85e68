/** Results of jobs over time: counted in each worker process, written every few seconds, read for the plot. */
import type { JobMetricsPayload, QueuePayload } from "../../contract/payloads/service/jobs.ts";
import type { MetricRange } from "../../contract/vocabulary.ts";
import type { JobMinute, JobSums } from "../../storage/maintenance/job-metrics.ts";
import type { App } from "../app.ts";
import { type JobRun, queueOf } from "../queue/index.ts";
import { requireQueue } from "./load.ts";
import type { MetricsQuery } from "./schema.ts";

const minuteMs = 60_000;
/** Time for which runs are collected in memory; a killed process loses them. */
const gatherMs = 3000;
/** Maximum number of minutes kept in memory while the database is unavailable. */
const maxMinutes = 2000;
const rateMinutes = 5;
/** The plot has 60 to 96 steps. */
const ranges: Record<MetricRange, { stepMs: number; steps: number }> = {
  hour: { stepMs: minuteMs, steps: 60 },
  day: { stepMs: 15 * minuteMs, steps: 96 },
  week: { stepMs: 120 * minuteMs, steps: 84 },
};

export interface RunCounter {
  count(run: JobRun): void;
  /** Writes the collected runs. */
  close(): Promise<void>;
}

/** Counts the runs of this process. */
export function openRunCounter(app: App): RunCounter {
  let minutes = new Map<string, Omit<JobMinute, "_id">>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const rows = minutes;
    minutes = new Map();
    try {
      await app.storage.jobMetrics.add([...rows.values()]);
    } catch (error) {
      app.log.warn({ error }, "job metrics could not be written");
      // Kept for the next write. A part that was written is then counted twice, which is acceptable in a plot.
      if (rows.size < maxMinutes) for (const row of rows.values()) gather(row);
    }
  };
  const gather = (row: Omit<JobMinute, "_id">) => {
    const key = `${row.at.getTime()} ${row.name}`;
    const present = minutes.get(key);
    minutes.set(
      key,
      present
        ? {
            ...present,
            completed: present.completed + row.completed,
            failed: present.failed + row.failed,
            retried: present.retried + row.retried,
            durationMs: present.durationMs + row.durationMs,
            maxMs: Math.max(present.maxMs, row.maxMs),
          }
        : row,
    );
    timer ??= setTimeout(() => app.background("write job metrics", flush), gatherMs).unref();
  };
  return {
    count({ name, outcome, ms }) {
      const at = new Date(Math.floor(app.now().getTime() / minuteMs) * minuteMs);
      const none = { completed: 0, failed: 0, retried: 0 };
      gather({ at, queue: queueOf(name), name, ...none, [outcome]: 1, durationMs: ms, maxMs: ms });
    },
    close: flush,
  };
}

const runsOf = (sums: JobSums) => sums.completed + sums.failed + sums.retried;
const averageOf = (sums: JobSums | undefined) =>
  sums && runsOf(sums) > 0 ? Math.round(sums.durationMs / runsOf(sums)) : null;

/** Rates of the last minutes, by queue. */
export async function ratesOf(app: App): Promise<(queue: string) => QueuePayload["rates"]> {
  const since = new Date(app.now().getTime() - rateMinutes * minuteMs);
  const sums = await app.storage.jobMetrics.sumQueues(since);
  const perMinute = (count: number) => Math.round((count / rateMinutes) * 10) / 10;
  return (queue) => {
    const found = sums.get(queue);
    return {
      completed: perMinute(found?.completed ?? 0),
      failed: perMinute((found?.failed ?? 0) + (found?.retried ?? 0)),
      averageMs: averageOf(found),
    };
  };
}

/** Steps of the plot, oldest first, including those without runs. */
export async function readJobMetrics(app: App, { range, queue }: MetricsQuery): Promise<JobMetricsPayload> {
  const { stepMs, steps } = ranges[range];
  const name = queue === undefined ? undefined : requireQueue(queue);
  const last = Math.floor(app.now().getTime() / stepMs) * stepMs;
  const first = last - (steps - 1) * stepMs;
  const found = new Map(
    (await app.storage.jobMetrics.listSteps(new Date(first), stepMs, name)).map((step) => [
      step.at.getTime(),
      step,
    ]),
  );
  return {
    range,
    stepSeconds: stepMs / 1000,
    steps: Array.from({ length: steps }, (_, index) => {
      const at = first + index * stepMs;
      const step = found.get(at);
      return {
        at: new Date(at).toISOString(),
        completed: step?.completed ?? 0,
        failed: step?.failed ?? 0,
        retried: step?.retried ?? 0,
        averageMs: averageOf(step),
        maxMs: step ? Math.round(step.maxMs) : null,
      };
    }),
  };
}
