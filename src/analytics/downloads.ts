/**
 * Counts downloads. Rows gather in memory for a moment and are written together, so that a read never waits for a
 * write; a process that is killed forgets at most that moment.
 */
import type { AnalyticsPayload } from "../../contract/payloads.ts";
import type { DownloadRow } from "../../storage/downloads.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";

const flushMs = 500;
const batchRows = 1000;
const dayMs = 86_400_000;

/** What gathers in one process. */
const gathering = new WeakMap<App, { rows: DownloadRow[]; timer: NodeJS.Timeout | undefined }>();

export function recordDownload(
  app: App,
  actor: Actor,
  version: { skillId: string; tenantId: string; _id: string },
): void {
  let batch = gathering.get(app);
  if (!batch) gathering.set(app, (batch = { rows: [], timer: undefined }));
  batch.rows.push({
    _id: app.newId(),
    skillId: version.skillId,
    tenantId: version.tenantId,
    versionId: version._id,
    source: actor.origin.client,
    ...(actor.origin.ipHash === undefined ? {} : { ipHash: actor.origin.ipHash }),
    ...(actor.kind === "user" ? { userId: actor.userId } : {}),
    createdAt: app.now(),
  });
  if (batch.rows.length >= batchRows) flushDownloads(app);
  else batch.timer ??= setTimeout(() => flushDownloads(app), flushMs).unref();
}

/** Writes what has gathered; called by the timer and when the process closes. */
export function flushDownloads(app: App): void {
  const batch = gathering.get(app);
  if (!batch || batch.rows.length === 0) return;
  clearTimeout(batch.timer);
  gathering.delete(app);
  app.background("write downloads", async () => {
    await app.storage.downloads.record(batch.rows);
    const counts = new Map<string, number>();
    for (const row of batch.rows) counts.set(row.skillId, (counts.get(row.skillId) ?? 0) + 1);
    const added = [...counts].map(([skillId, count]) => ({ skillId, count }));
    await Promise.all([
      app.storage.skills.addDownloads(added),
      app.storage.searchEntries.addDownloads(added),
    ]);
  });
}

/** Downloads of a skill: in all, of the last 7 and 30 days, and by day over `days` days, each day present. */
export async function readDownloads(
  app: App,
  skill: { _id: string; downloads: number },
  days: number,
): Promise<AnalyticsPayload> {
  const today = app.now();
  const dayBefore = (count: number) => new Date(today.getTime() - count * dayMs).toISOString().slice(0, 10);
  const stored = await app.storage.downloads.listDaily(skill._id, dayBefore(Math.max(days, 30) - 1));
  const byDate = new Map(stored.map((row) => [row.date, row]));
  const sumSince = (date: string) =>
    stored.filter((row) => row.date >= date).reduce((sum, row) => sum + total(row), 0);
  const daily = Array.from({ length: days }, (_, index) => {
    const date = dayBefore(days - 1 - index);
    const row = byDate.get(date);
    return { date, cli: row?.cli ?? 0, web: row?.web ?? 0, api: row?.api ?? 0 };
  });
  return {
    total: skill.downloads,
    last7Days: sumSince(dayBefore(6)),
    last30Days: sumSince(dayBefore(29)),
    daily,
  };
}

/** A day's row has a field per source only once that source was seen. */
function total(row: { cli?: number; web?: number; api?: number }): number {
  return (row.cli ?? 0) + (row.web ?? 0) + (row.api ?? 0);
}
