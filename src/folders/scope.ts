/** What lists filter by: which skills of which organizations an actor may read, as a query can ask it. */
import type { SkillScope, TenantScope } from "../../storage/skill-search.ts";
import type { Actor } from "../access/actor.ts";
import { bypassesRestrictions, limitsOf, readableTenants } from "../access/decide.ts";
import type { App } from "../app.ts";
import { loadTrees, principalsOf } from "./load.ts";
import type { FolderTree } from "./tree.ts";

/**
 * The skills that the actor may read in their own organizations, or in those of them that are named. The query is
 * asked by what each skill says of its place; the decision itself is asked again about every skill that it finds.
 */
export async function readableScope(
  app: App,
  actor: Actor,
  tenantIds: readonly string[] = readableTenants(actor),
): Promise<SkillScope & { kind: "tenants" }> {
  const readable = readableTenants(actor).filter((id) => tenantIds.includes(id));
  const { allowedFolderIds } = limitsOf(actor);
  const isEditor = actor.kind === "organization" && allowedFolderIds !== undefined;
  const subject = readable.filter((id) => !isEditor && !bypassesRestrictions(actor, id));
  const trees = await loadTrees(app, allowedFolderIds ? readable : subject);
  const tenants = readable.map((tenantId): TenantScope => {
    const scope: TenantScope = { tenantId };
    const tree = trees.get(tenantId);
    if (tree && subject.includes(tenantId)) scope.governing = [null, ...grantedIn(tree, actor)];
    if (tree && allowedFolderIds) {
      const inside = allowedFolderIds.flatMap((id) => [...tree.subtree(id)].map((node) => node._id));
      scope.folderIds = [...new Set(inside)];
    }
    return scope;
  });
  return { kind: "tenants", tenants: tenants.filter((scope) => scope.folderIds?.length !== 0) };
}

/** Restricted folders with a grant to the actor; what was granted on an open folder governs nothing. */
function grantedIn(tree: FolderTree, actor: Actor): string[] {
  return tree
    .grantedTo(principalsOf(actor, tree.tenantId))
    .filter((folderId) => tree.get(folderId)?.restricted);
}
