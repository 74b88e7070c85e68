/**
 * Rules of a connected repository. Connecting one exports every skill of the organization to it, and a push there
 * writes to every skill, so the permission to manage the sync is not enough to choose the repository.
 */
import type { Permission } from "../../contract/vocabulary.ts";
import type { Actor } from "./actor.ts";
import { bypassesRestrictions, limitsOf, membershipIn } from "./decide.ts";
import { memberMay } from "./permissions.ts";

/** Permissions that write access to a connected repository includes: an import also creates folders. */
const repositoryPermissions = [
  "skill:read",
  "skill:create",
  "skill:update",
  "skill:delete",
  "folder:create",
] as const satisfies readonly Permission[];

/** Reasons why the actor may not choose the repository of an organization; none if the actor may. */
export interface RepositoryRefusal {
  /** Permissions that the actor's role or token lacks; `folder:manageAcl` stands for access to restricted folders. */
  missing: Permission[];
  /** The token is limited to folders or skills. */
  isLimitedToFolders: boolean;
}

/**
 * Decides whether the actor may connect, plan or change a repository connection, or take one over. Running a sync and
 * disconnecting give no access, so they require `githubSync: manage` only.
 */
export function decideRepository(actor: Actor, tenantId: string): RepositoryRefusal | "allowed" {
  const missing = lacking(actor, tenantId, ["githubSync:manage", ...repositoryPermissions]);
  const { allowedFolderIds, skillIds } = limitsOf(actor);
  const isLimitedToFolders = allowedFolderIds !== undefined || skillIds !== undefined;
  return missing.length === 0 && !isLimitedToFolders ? "allowed" : { missing, isLimitedToFolders };
}

/** Whether the actor may read every skill of an organization, those in restricted folders included. */
export function readsEverySkill(actor: Actor, tenantId: string): boolean {
  const { allowedFolderIds, skillIds } = limitsOf(actor);
  if (allowedFolderIds !== undefined || skillIds !== undefined) return false;
  return lacking(actor, tenantId, ["skill:read"]).length === 0;
}

function lacking(actor: Actor, tenantId: string, permissions: readonly Permission[]): Permission[] {
  const membership = membershipIn(actor, tenantId);
  const limits = limitsOf(actor);
  const missing = permissions.filter((permission) => !memberMay(membership, limits, permission));
  return bypassesRestrictions(actor, tenantId) ? missing : [...missing, "folder:manageAcl"];
}
