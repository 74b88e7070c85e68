import type { App } from "../../src/app.ts";
import { forgetFormerKeys, signMissing } from "../../src/skills/provenance/reconcile.ts";
import { walkRows } from "../maintenance/walk.ts";

/** Signs the versions that have no valid statement. */
export async function signVersions(app: App): Promise<void> {
  await forgetFormerKeys(app);
  await walkRows(
    app,
    "statements",
    (after, limit) => app.storage.versions.listAfter(after, limit),
    async (versions) => {
      const made = await signMissing(app, versions);
      if (made > 0) app.log.info({ made }, "signed versions that had no statement");
    },
  );
}
