/** Requests of scans, which `run-scans.ts` completes. */
import type { SkillDoc, SkillToProject } from "../../../storage/skills/skills.ts";
import type { App } from "../../app.ts";

/** Requests scans of the new versions of skills. Called before the versions are no longer pending. */
export async function requestScans(app: App, found: readonly SkillToProject[]): Promise<void> {
  const requests = found.flatMap(({ _id: skillId, tenantId, deletedAt, pending }) =>
    deletedAt ? [] : pending.map(({ version }) => ({ tenantId, skillId, version })),
  );
  if (requests.length === 0) return;
  await app.storage.versionScans.request(requests, app.now());
  app.background("queue scans", () => app.queue.enqueue("scans.run", {}, { jobId: "scans" }));
}

/** The versions that installs resolve to without a pin, and those that only a scan holds back. */
export function versionsToScan({
  current,
  channels = [],
  marks = [],
}: Pick<SkillDoc, "current" | "channels" | "marks">) {
  const held = marks.filter(({ held: reasons }) => reasons?.includes("scan"));
  return [...new Set([current, ...channels, ...held].map(({ version }) => version))];
}
