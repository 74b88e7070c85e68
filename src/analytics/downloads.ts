/**
 * Records downloads. Rows are collected in memory for a moment and written together, so that a read never waits for a
 * write; a killed process loses at most the rows of that moment.
 */
import { noteCount } from "../../contract/observation.ts";
import type { AnalyticsPayload } from "../../contract/payloads/usage/analytics.ts";
import { retryIdempotent } from "../../storage/database.ts";
import type { Day, DownloadBatch, DownloadRow } from "../../storage/usage/downloads.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { perApp } from "../per-app.ts";
import { countDownloads } from "./count.ts";

const flushMs = 500;
/** Pause after the database was unavailable. */
const againMs = 5000;
const batchRows = 1000;
/** Maximum number of batches kept while the database is unavailable. */
const keptBatches = 50;
const dayMs = 86_400_000;

type Batch = Omit<DownloadBatch, "waiting">;

/** Rows that this process has not written yet. */
interface Gathering {
  rows: DownloadRow[];
  /** Full batches, the oldest first. */
  batches: Batch[];
  timer: NodeJS.Timeout | undefined;
}

const gatheringOf = perApp<Gathering>(() => ({ rows: [], batches: [], timer: undefined }));

export function recordDownload(
  app: App,
  actor: Actor,
  version: { skillId: string; tenantId: string; _id: string },
): void {
  noteCount("downloads", { client: actor.origin.client });
  const gathering = gatheringOf(app);
  gathering.rows.push({
    skillId: version.skillId,
    tenantId: version.tenantId,
    versionId: version._id,
    source: actor.origin.client,
    ipHash: actor.origin.ipHash,
    createdAt: app.now(),
  });
  if (gathering.rows.length >= batchRows) flushDownloads(app);
  else gathering.timer ??= setTimeout(() => flushDownloads(app), flushMs).unref();
}

/** Writes what has gathered, and has it counted; called by the timer and when the process closes. */
export function flushDownloads(app: App): void {
  const gathering = gatheringOf(app);
  clearTimeout(gathering.timer);
  gathering.timer = undefined;
  if (gathering.rows.length > 0) {
    gathering.batches.push({ _id: app.newId(), rows: gathering.rows, createdAt: app.now() });
    gathering.rows = [];
  }
  if (gathering.batches.length === 0) return;
  const batches = gathering.batches.splice(0);
  app.background("write downloads", async () => {
    while (batches.length > 0) {
      try {
        await retryIdempotent(() => app.storage.downloads.insert(batches[0]!));
      } catch (error) {
        // Under the same ids, since an insert whose answer was lost may have taken place.
        gathering.batches = [...batches, ...gathering.batches].slice(-keptBatches);
        gathering.timer ??= setTimeout(() => flushDownloads(app), againMs).unref();
        throw error;
      }
      batches.shift();
    }
    await countDownloads(app);
  });
}

/** The first day of those that an answer about so many days is made of: they, as many before them, and the last 30. */
export function firstDay(app: App, days: number): string {
  return dayBefore(app, Math.max(2 * days, 30) - 1);
}

/** `stored`: the days with downloads, from `firstDay` on. */
export function presentDownloads(
  app: App,
  total: number,
  stored: readonly Day[],
  days: number,
): AnalyticsPayload {
  const byDate = new Map(stored.map((row) => [row.date, row]));
  const sumSince = (date: string, end = "9999") =>
    stored
      .filter((row) => row.date >= date && row.date < end)
      .reduce((sum, row) => sum + ofAllSources(row), 0);
  const daily = Array.from({ length: days }, (_, index) => {
    const date = dayBefore(app, days - 1 - index);
    const row = byDate.get(date);
    return { date, cli: row?.cli ?? 0, web: row?.web ?? 0, api: row?.api ?? 0 };
  });
  return {
    total,
    last7Days: sumSince(dayBefore(app, 6)),
    last30Days: sumSince(dayBefore(app, 29)),
    previous: sumSince(dayBefore(app, 2 * days - 1), dayBefore(app, days - 1)),
    daily,
  };
}

/** The date so many days ago, in UTC. */
export function dayBefore(app: App, count: number): string {
  return new Date(app.now().getTime() - count * dayMs).toISOString().slice(0, 10);
}

/** Days that were counted long ago have a field per source only once that source was seen. */
function ofAllSources(row: Partial<Day>): number {
  return (row.cli ?? 0) + (row.web ?? 0) + (row.api ?? 0);
}
