/** The skills that an actor may read, in a form that a query can filter by. */
import type { SkillScope, TenantScope } from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { bypassesRestrictions, limitsOf } from "../../access/decide.ts";
import { ownWorkspaceIn, principalsOf } from "../load.ts";
import type { FolderTree } from "../tree/tree.ts";

/**
 * The skills that the actor may read in organizations of theirs. The query filters by the stored effective access of
 * each skill; the caller repeats the access decision for every skill that it finds. `trees`: those of `readable`.
 */
export function readableScope(
  actor: Actor,
  readable: readonly string[],
  trees: ReadonlyMap<string, FolderTree>,
): SkillScope & { kind: "tenants" } {
  const { allowedFolderIds, skillIds } = limitsOf(actor);
  const isEditor = actor.kind === "organization" && (allowedFolderIds ?? skillIds) !== undefined;
  const subject = readable.filter((id) => !isEditor && !bypassesRestrictions(actor, id));
  const tenants = readable.map((tenantId): TenantScope => {
    const scope: TenantScope = { tenantId, skillIds };
    const tree = trees.get(tenantId);
    if (tree && subject.includes(tenantId)) scope.restrictions = [null, ...grantedIn(tree, actor)];
    if (tree && allowedFolderIds) {
      const inside = allowedFolderIds.flatMap((id) => [...tree.subtree(id)].map((node) => node._id));
      scope.folderIds = [...new Set(inside)];
    }
    return scope;
  });
  return { kind: "tenants", tenants: tenants.filter((scope) => scope.folderIds?.length !== 0) };
}

/**
 * Restricted folders with a grant to the actor, and those that are in effect in their own workspace; a grant on
 * an open folder has no effect.
 */
function grantedIn(tree: FolderTree, actor: Actor): string[] {
  const granted = tree.grantedTo(principalsOf(actor, tree.tenantId));
  const workspace = ownWorkspaceIn(tree, actor);
  const inWorkspace = workspace
    ? Array.from(tree.subtree(workspace._id), ({ _id }) => tree.effectiveRestriction(_id))
    : [];
  const restricted = granted.filter((folderId) => tree.get(folderId)?.restricted);
  return [...new Set([...restricted, ...inWorkspace.filter((id) => id !== null)])];
}
