/** The repeating jobs. Each has one schedule, shared by all processes; times are UTC. */
import type { App } from "../src/app.ts";
import { retiredJobs } from "../src/queue/index.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;

export async function schedule(app: App): Promise<void> {
  const { queue } = app;
  for (const name of retiredJobs) await queue.removeSchedule(name);
  await queue.upsertSchedule("upkeep.reconcile", {}, { everyMs: hourMs });
  await queue.upsertSchedule("upkeep.advance-epoch", {}, { everyMs: minuteMs });
  await queue.upsertSchedule("upkeep.purge", {}, { everyMs: hourMs / 4 });
  await queue.upsertSchedule("sso.check-domains", {}, { everyMs: hourMs });
  await queue.upsertSchedule("sso.check-providers", {}, { everyMs: hourMs });
  await queue.upsertSchedule("upkeep.rotate-keys", {}, { everyMs: hourMs });
  await queue.upsertSchedule("catalog.mirror", {}, { cron: "23 * * * *" });
  await queue.upsertSchedule("branches.poll", {}, { everyMs: minuteMs });
  // At night in Europe, and at odd minutes, since most scheduled jobs elsewhere run at full hours.
  await queue.upsertSchedule("upkeep.tidy-repos", {}, { cron: "17 2 * * *" });
  await queue.upsertSchedule("upkeep.check-repos", {}, { cron: "41 3 * * 0" });
}
