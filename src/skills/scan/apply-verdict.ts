/** Applies the policies about what scans find: the organization's, and for open skills the service's as well. */
import {
  defaultScanPolicy,
  isFlagged,
  type FlaggedVerdict,
  type ScanPolicy,
} from "../../../contract/scan/policy.ts";
import type { ScanVerdict } from "../../../contract/scan/report.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionScanDoc } from "../../../storage/versions/scans.ts";
import type { App } from "../../app.ts";
import { changeByService } from "../marks/change-by-service.ts";

/** Skills that others than the organization's members can read. */
export const isShared = ({ visibility }: Pick<SkillDoc, "visibility">): boolean => visibility !== "private";

/** A malicious version of an open skill is held whatever the organization has chosen. */
export const isHeldByService = (skill: Pick<SkillDoc, "visibility">, verdict: ScanVerdict): boolean =>
  verdict === "malicious" && isShared(skill);

function measureFor(
  policy: ScanPolicy = defaultScanPolicy,
  skill: Pick<SkillDoc, "visibility">,
  verdict: FlaggedVerdict,
): "allow" | "warn" | "hold" {
  return isHeldByService(skill, verdict) ? "hold" : policy[verdict];
}

/** Whether a person has released the version against this verdict, or a worse one, and may do so for this skill. */
export function isReleasedAgainst(
  { override }: Pick<VersionScanDoc, "override">,
  skill: Pick<SkillDoc, "visibility">,
  verdict: FlaggedVerdict,
): boolean {
  if (!override || (override.verdict === "suspicious" && verdict === "malicious")) return false;
  return override.byAdministrator || !isHeldByService(skill, verdict);
}

/** Holds or releases a scanned version, and warns its readers, as the policies say. May run twice. */
export async function applyVerdict(app: App, { skillId, version, result }: VersionScanDoc): Promise<void> {
  if (!result) return;
  const { verdict } = result;
  await changeByService(app, { skillId, version }, async (mark, skill) => {
    if (mark?.rejected !== undefined) return undefined;
    if (!isFlagged(verdict)) return mark && { verdict: null, release: "scan" };
    const tenant = await app.storage.tenants.find(skill.tenantId);
    const measure = measureFor(tenant?.scanPolicy, skill, verdict);
    // Read again, since a person may release the version while this runs.
    const override = (await app.storage.versionScans.find(skillId, version))?.override;
    const isHeld = measure === "hold" && !isReleasedAgainst({ override }, skill, verdict);
    return {
      verdict: measure === "allow" ? null : verdict,
      accepted: override?.verdict,
      ...(isHeld ? { hold: "scan" } : mark?.held?.includes("scan") && { release: "scan" }),
    };
  });
}

/** Applies the policies again to the scanned versions of a skill that more people can read than before. */
export async function applyVerdictsOf(app: App, skillId: string): Promise<void> {
  for (const scan of await app.storage.versionScans.listFlagged(skillId)) await applyVerdict(app, scan);
}
