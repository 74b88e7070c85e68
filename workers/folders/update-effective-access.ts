/** Updates the effective access of skills after a change to folders, and projects them so that search follows. */
import type { App } from "../../src/app.ts";
import { updateEffectiveAccess } from "../../src/folders/access/update-effective-access.ts";
import { scheduleProjection } from "../../src/skills/projection-queue.ts";

export async function updateSkillAccess(app: App, tenantId: string): Promise<void> {
  const count = await updateEffectiveAccess(app, tenantId, (skillIds) => {
    for (const skillId of skillIds) scheduleProjection(app, skillId);
  });
  if (count > 0) app.log.info({ tenantId, count }, "updated the effective access of skills");
}
