/** `verify`: reads every version's commit and holds its content to the SHA-256 that was recorded for it. */
import type { SkillDoc } from "../../storage/skills.ts";
import type { App } from "../app.ts";
import { findVersions } from "../skills/versions.ts";

export interface VerifyReport {
  skills: number;
  versions: number;
  faults: { skillId: string; version: number; problem: string }[];
}

/** Verifies everything; calls `progress` after each skill. */
export async function verifyStore(app: App, progress: (report: VerifyReport) => void): Promise<VerifyReport> {
  const report: VerifyReport = { skills: 0, versions: 0, faults: [] };
  for await (const skillId of app.storage.skills.eachId()) {
    const skill = await app.storage.skills.find(skillId);
    if (!skill) continue;
    await verifySkill(app, skill, report);
    progress(report);
  }
  return report;
}

/** Checks one skill, and adds what was found to the report. */
export async function verifySkill(app: App, skill: SkillDoc, report: VerifyReport): Promise<void> {
  const skillId = skill._id;
  const rows = await findVersions(app, skill, { prerelease: true, limit: 1_000_000 });
  const numbers = rows.map((row) => row.version).sort((a, b) => a - b);
  if (numbers.some((number, index) => number !== index + 1) || numbers.length !== skill.head.version) {
    report.faults.push({ skillId, version: skill.head.version, problem: "the chain of versions has gaps" });
  }
  for (const row of rows) {
    const repo = { tenantId: row.tenantId, skillId };
    const fault = await app.repos.verify(repo, row.oid, row.digest).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (fault !== undefined) report.faults.push({ skillId, version: row.version, problem: fault });
    report.versions++;
  }
  report.skills++;
}
