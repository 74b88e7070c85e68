/** Holds of versions as the scans set them, without a scan. */
import type { HoldReason } from "../../contract/vocabulary.ts";
import type { App } from "../../src/app.ts";
import { changeByService } from "../../src/skills/marks/change-by-service.ts";

/** Holds a version for a further reason. Without effect on one that is rejected. */
export const holdVersion = (app: App, skillId: string, version: number, hold: HoldReason) =>
  changeByService(app, { skillId, version }, (mark) => (mark?.rejected === undefined ? { hold } : undefined));

/** Removes a reason; a version without any other is released. */
export const releaseVersion = (app: App, skillId: string, version: number, release: HoldReason) =>
  changeByService(app, { skillId, version }, (mark) =>
    mark?.held?.includes(release) ? { release } : undefined,
  );
