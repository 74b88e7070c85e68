/** The scan of a version for its readers. */
import type { ScanPayload } from "../../../contract/payloads/skills/scans.ts";
import type { VersionScanDoc } from "../../../storage/versions/scans.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { loadSkill, readsAsMember, type SeenSkill } from "../load.ts";
import { loadForVersion } from "../review/administrator.ts";
import { readVersionRef, selectVersion } from "../versions/select-version.ts";

/** The scan of a version that the caller or, for a release, an administrator may see. */
export async function readScan(app: App, actor: Actor, ref: string, wanted: string): Promise<ScanPayload> {
  const selector = readVersionRef(wanted);
  const skill = await loadForVersion(app, actor, ref, wanted, () => loadSkill(app, actor, ref, "skill:read"));
  const version = await selectVersion(app, skill, selector);
  const scan = await app.storage.versionScans.find(skill._id, version.version);
  return presentScan(app, actor, skill, version, scan);
}

/**
 * The state of the scan, its verdict and the numbers of findings by rule; the findings themselves for callers who may
 * update or review the skill, and for administrators who may release it. Only members of the organization see those
 * about secrets: anyone else would be shown where to look.
 */
export async function presentScan(
  app: App,
  actor: Actor,
  skill: SeenSkill,
  version: Pick<VersionDoc, "version" | "semver">,
  scan: VersionScanDoc | null,
): Promise<ScanPayload> {
  const isMember = await readsAsMember(app, actor, skill);
  const isSeen = (rule: string) => isMember || !rule.startsWith("secrets.");
  const { result, failure } = scan ?? {};
  const counts = Object.entries(result?.counts ?? {}).filter(([rule]) => isSeen(rule));
  return {
    version: version.version,
    semver: version.semver,
    state: failure !== undefined ? "failed" : result ? "done" : "pending",
    verdict: result?.verdict,
    ruleSet: result?.ruleSet,
    scannedAt: result?.at.toISOString(),
    rules: counts.map(([rule, count]) => ({ rule, count: count ?? 0 })),
    findings: skill.can?.some((act) => act === "update" || act === "review")
      ? result?.findings.filter(({ rule }) => isSeen(rule))
      : undefined,
  };
}
