/** Adds pending downloads to the counts: of skills and organizations by day, and in total of skills. */
import { patienceMs } from "../../storage/usage/download-counts.ts";
import type { DownloadRow } from "../../storage/usage/downloads.ts";
import type { App } from "../app.ts";
import { perApp } from "../per-app.ts";

/** State of the counting in this process. */
interface Counting {
  done: Promise<void> | undefined;
  /** Whether it was requested again while it ran. */
  more: boolean;
  again: NodeJS.Timeout | undefined;
}

const countingOf = perApp<Counting>(() => ({ done: undefined, more: false, again: undefined }));

/**
 * Counts until nothing is pending. It may be interrupted anywhere, and run in any number of processes: each download is
 * counted once (`storage/usage/download-counts.ts`). Concurrent calls share a counting. If another process is counting,
 * it includes our downloads, and this one checks again later in case that process has crashed.
 */
export function countDownloads(app: App): Promise<void> {
  const counting = countingOf(app);
  counting.more = true;
  counting.done ??= count(app, counting);
  return counting.done;
}

async function count(app: App, counting: Counting): Promise<void> {
  try {
    while (counting.more) {
      counting.more = false;
      let counted = await countNext(app);
      while (counted === "counted") counted = await countNext(app);
      if (counted === "busy") lookAgain(app, counting);
    }
  } finally {
    // Synchronous with the last check of `more`, so that no call is lost in between.
    counting.done = undefined;
  }
}

function lookAgain(app: App, counting: Counting): void {
  counting.again ??= setTimeout(() => {
    counting.again = undefined;
    app.background("count downloads", () => countDownloads(app));
  }, patienceMs).unref();
}

async function countNext(app: App): Promise<"counted" | "busy" | "none"> {
  const { downloadCounts, skills, searchEntries } = app.storage;
  const claim = await downloadCounts.claim(app.now());
  if (claim === undefined) return "none";
  if (claim === "busy") return "busy";
  const bySkill = tally(claim.rows);
  const ids = [...bySkill.keys()];
  // A skill that was deleted concurrently is erased with its counts, and must not get new ones.
  const known = new Set((await skills.listDownloads(ids)).map((skill) => skill._id));
  await downloadCounts.add(
    claim.number,
    claim.rows.filter((row) => known.has(row.skillId)),
  );
  await skills.addDownloads(claim.number, bySkill);
  await searchEntries.followDownloads(await skills.listDownloads(ids));
  await downloadCounts.finish(claim.batchIds);
  return "counted";
}

function tally(rows: readonly DownloadRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { skillId } of rows) counts.set(skillId, (counts.get(skillId) ?? 0) + 1);
  return counts;
}
