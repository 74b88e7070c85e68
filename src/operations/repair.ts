/**
 * `verify --repair`: corrects a database that was restored from an export that was taken while skills were written. It
 * may run while the service runs, and twice.
 */
import { repairReferences, type ReferenceRepairs } from "../../storage/dump/references.ts";
import type { Stores } from "../app.ts";
import { makeSystemEvent } from "../audit/events.ts";
import { findPhantoms, type Fault, type VerifyReport } from "./verify.ts";

/** Rows without their organization or account may belong to a change in progress while they are younger. */
const changeMs = 10 * 60_000;

export interface RepairReport extends ReferenceRepairs {
  /** Rows of versions that no skill has. */
  phantoms: number;
  /** Skills that were deleted, since their repository is missing. */
  deleted: number;
  /** Faults without a repair. */
  left: Fault[];
}

/**
 * Repairs what a verification has found. Throws if most skills have no repository, which means that the Git root is not
 * the one of this database.
 */
export async function repairStore(app: Stores, found: VerifyReport): Promise<RepairReport> {
  const missing = found.faults.filter(({ kind }) => kind === "missing-repository");
  if (missing.length > found.skills / 2)
    throw new Error(
      `The Git root ${app.config.gitRoot} lacks the repositories of ${missing.length} of ${found.skills} skills: ` +
        "set GIT_ROOT to the right folder, or restore it. Nothing was changed.",
    );
  let deleted = 0;
  for (const { skillId } of missing) deleted += await deleteGhost(app, skillId);
  let phantoms = 0;
  const damaged = new Set(
    found.faults.filter(({ kind }) => kind === "phantom").map(({ skillId }) => skillId),
  );
  for (const skillId of damaged) phantoms += await removePhantoms(app, skillId);
  const references = await repairReferences(app.storage.database, new Date(app.now().getTime() - changeMs));
  const left = found.faults.filter(({ kind }) => kind === "content" || kind === "chain");
  return { ...references, phantoms, deleted, left };
}

/** Marks a skill deleted; the service removes its records. */
async function deleteGhost(app: Stores, skillId: string): Promise<number> {
  const skill = await app.storage.skills.find(skillId);
  if (!skill || (await app.repos.exists({ tenantId: skill.tenantId, skillId }))) return 0;
  const event = makeSystemEvent(app, "skill.deleted", {
    tenantId: skill.tenantId,
    resourceType: "skill",
    resourceId: skillId,
    metadata: { slug: skill.slug, name: skill.name, reason: "its repository is missing" },
  });
  return (await app.storage.skills.markDeleted(skill, app.now(), [event])) ? 1 : 0;
}

/** The skill is projected again afterwards, since a phantom may have been the reason why it was not. */
async function removePhantoms(app: Stores, skillId: string): Promise<number> {
  const rows = await findPhantoms(app, skillId);
  await app.storage.versions.remove(skillId, rows);
  await app.storage.skills.markPending(skillId, app.now());
  return rows.length;
}
