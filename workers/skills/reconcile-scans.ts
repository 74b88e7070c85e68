/** Requests scans of the versions that matter and that were not scanned by the rules of this release. */
import { ruleSetVersion } from "../../contract/scan/rules/index.ts";
import type { App } from "../../src/app.ts";
import { versionsToScan } from "../../src/skills/scan/request-scans.ts";
import { walkRows } from "../maintenance/walk.ts";

export const reconcileScans = (app: App): Promise<void> =>
  walkRows(
    app,
    "scans",
    (after, limit) => app.storage.skills.listAfter(after, limit),
    (rows) =>
      app.storage.versionScans.requestAgain(
        rows
          .filter(({ deletedAt }) => !deletedAt)
          .flatMap(({ _id: skillId, tenantId, ...skill }) =>
            versionsToScan(skill).map((version) => ({ tenantId, skillId, version })),
          ),
        ruleSetVersion,
        app.now(),
      ),
  );
