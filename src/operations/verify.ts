/**
 * `verify`: reads every version's commit and compares its content with the SHA-256 that was recorded for it, and finds
 * records that no skill has: rows that a restored export contained although they were newer than their skill.
 */
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import type { Stores } from "../app.ts";
import { findVersions } from "../skills/versions/versions.ts";

/** Kind of a fault. Only `phantom` and `missing-repository` have a repair (`repair.ts`). */
export type FaultKind = "content" | "chain" | "phantom" | "missing-repository";

export interface Fault {
  kind: FaultKind;
  skillId: string;
  version: number;
  problem: string;
}

export interface VerifyReport {
  skills: number;
  versions: number;
  faults: Fault[];
}

type Verified = Pick<Stores, "storage" | "repos">;

/** Verifies everything; calls `progress` after each skill. */
export async function verifyStore(
  app: Verified,
  progress: (report: VerifyReport) => void,
): Promise<VerifyReport> {
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
export async function verifySkill(app: Verified, skill: SkillDoc, report: VerifyReport): Promise<void> {
  const skillId = skill._id;
  report.skills++;
  if (!(await hasRepository(app, skill))) {
    const wasErased = await app.repos.wasErased({ tenantId: skill.tenantId, skillId });
    report.faults.push({
      kind: wasErased ? "missing-repository" : "content",
      skillId,
      version: skill.head.version,
      problem: wasErased
        ? "it has no repository: it was deleted after the database was exported"
        : "all objects of its repository are lost: restore them from a backup of the object store",
    });
    return;
  }
  for (const { version } of await findPhantoms(app, skillId))
    report.faults.push({ kind: "phantom", skillId, version, problem: "the skill has no such version" });
  const everything = { ...skill, marks: [] };
  const all = await findVersions(app, everything, { prerelease: true, limit: 1_000_000 });
  const rows = all.filter((row) => row.version <= skill.head.version);
  const numbers = rows.map((row) => row.version).sort((a, b) => a - b);
  if (numbers.some((number, index) => number !== index + 1) || numbers.length !== skill.head.version) {
    const problem = "the chain of versions has gaps";
    report.faults.push({ kind: "chain", skillId, version: skill.head.version, problem });
  }
  for (const row of rows) {
    const repo = { tenantId: row.tenantId, skillId };
    const fault = await app.repos.verify(repo, row.oid, row.digest).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (fault !== undefined)
      report.faults.push({ kind: "content", skillId, version: row.version, problem: fault });
    report.versions++;
  }
}

/** False only for a skill that still exists: a deletion removes the repository after it has marked the skill. */
async function hasRepository({ repos, storage }: Verified, skill: SkillDoc): Promise<boolean> {
  const repo = { tenantId: skill.tenantId, skillId: skill._id };
  return (await repos.exists(repo)) || (await storage.skills.find(skill._id)) === null;
}

/**
 * Rows of versions that the skill does not have: those above its head, and those that have the number or semver of a
 * version that is still to be copied from the skill. The skill is read after the rows, so a concurrent publish is not
 * among them.
 */
export async function findPhantoms(app: Pick<Stores, "storage">, skillId: string): Promise<VersionDoc[]> {
  const { skills, versions } = app.storage;
  const before = await skills.find(skillId);
  if (!before) return [];
  const suspects = await versions.listSuspects(skillId, before.head.version, before.pending);
  if (suspects.length === 0) return [];
  const skill = await skills.find(skillId);
  if (!skill) return [];
  const { head, pending } = skill;
  return suspects.filter(
    (row) =>
      row.version > head.version ||
      pending.some(
        (own) => own._id !== row._id && (own.version === row.version || own.semver === row.semver),
      ),
  );
}
