/** The repeating jobs. Each has one schedule, shared by all processes; times are UTC. */
import type { App } from "../src/app.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;

export async function schedule(app: App): Promise<void> {
  const { queue } = app;
  await queue.adoptRenamedJobs();
  await queue.upsertSchedule("maintenance.reconcile", {}, { everyMs: hourMs });
  await queue.upsertSchedule("maintenance.advance-epoch", {}, { everyMs: minuteMs });
  await queue.upsertSchedule("maintenance.watch-conditions", {}, { everyMs: minuteMs });
  await queue.upsertSchedule("maintenance.purge", {}, { everyMs: hourMs / 4 });
  await queue.upsertSchedule("maintenance.count-installs", {}, { everyMs: hourMs / 4 });
  await queue.upsertSchedule("audit.queue", {}, { everyMs: 10 * minuteMs });
  await queue.upsertSchedule("webhooks.queue", {}, { everyMs: 10 * minuteMs });
  await queue.upsertSchedule("scans.run", {}, { everyMs: minuteMs });
  await queue.upsertSchedule("mail.followed", {}, { everyMs: minuteMs });
  await queue.upsertSchedule("sso.check-domains", {}, { everyMs: hourMs });
  await queue.upsertSchedule("sso.check-providers", {}, { everyMs: hourMs });
  await queue.upsertSchedule("maintenance.rotate-keys", {}, { everyMs: hourMs });
  await queue.upsertSchedule("catalog.mirror", {}, { cron: "23 * * * *" });
  await queue.upsertSchedule("sync.poll-branches", {}, { everyMs: minuteMs });
  // At night in Europe, and at odd minutes, since most scheduled jobs elsewhere run at full hours.
  await queue.upsertSchedule("maintenance.compact-repos", {}, { cron: "17 2 * * *" });
  await queue.upsertSchedule("maintenance.check-repos", {}, { cron: "41 3 * * *" });
}
