/** Brings skills up to date with their folders, and has them settled so that search follows. */
import type { App } from "../../src/app.ts";
import { governSkills } from "../../src/folders/govern.ts";
import { scheduleSettling } from "../../src/skills/settle.ts";

export async function govern(app: App, tenantId: string): Promise<void> {
  const count = await governSkills(app, tenantId, (skillIds) => {
    for (const skillId of skillIds) scheduleSettling(app, skillId);
  });
  if (count > 0) app.log.info({ tenantId, count }, "skills follow their folders");
}
