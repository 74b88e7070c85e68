/**
 * Counts the installed versions of each skill whose installations changed on a day that is over. Each count is one
 * write, so an interrupted run is continued by the next one.
 */
import { dayBefore } from "../../src/analytics/downloads.ts";
import type { App } from "../../src/app.ts";
import { countInstalled } from "../../src/skills/analytics/install-counts.ts";
import { repairEach } from "./repair-each.ts";

const batch = 100;

export async function countInstallDays(app: App): Promise<void> {
  await repairEach(
    app,
    batch,
    (limit) => app.storage.installDays.listDue(app.now(), limit),
    (day) => countDay(app, day),
  );
}

/** The count is that of now. If the job was late, it is therefore stored as that of yesterday. */
async function countDay(app: App, { _id, skillId }: { _id: string; skillId: string }): Promise<void> {
  const { installDays, installs, skills } = app.storage;
  // A mark of a skill that was erased concurrently.
  if ((await skills.listByIds([skillId])).length === 0) return installDays.remove(_id);
  await installDays.record(_id, dayBefore(app, 1), countInstalled(await installs.groupOfSkill(skillId)));
}
