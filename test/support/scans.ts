/** Scans of versions, which a test runs itself. */
import { runScans } from "../../src/skills/scan/run-scans.ts";
import type { TestService } from "./service.ts";
import { until } from "./until.ts";

/** Waits until the scan of a version is requested, which a publish does not wait for. */
export async function scanRequested(
  { app }: Pick<TestService, "app">,
  skillId: string,
  version = 1,
): Promise<void> {
  await until(
    "the scan is requested",
    async () => (await app.storage.versionScans.find(skillId, version)) !== null,
  );
}

/** Scans what was published last. */
export async function scanVersion(
  service: Pick<TestService, "app">,
  skillId: string,
  version = 1,
): Promise<void> {
  await scanRequested(service, skillId, version);
  await runScans(service.app);
}
