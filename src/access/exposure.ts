/**
 * Readers of a folder or skill before and after a change, and the changes that take something out of a restriction.
 * Pure, like `decide.ts`.
 */
import { audienceKinds, folderLevels, type FolderLevel, type Visibility } from "../../contract/vocabulary.ts";
import type { Actor } from "./actor.ts";
import { isNarrowed, limitsOf, mayManageGrants, type AccessContext } from "./decide.ts";

/** A restricted folder that is in effect, with its grants: team or user id to level. */
export interface Restriction {
  folderId: string;
  grants: ReadonlyMap<string, FolderLevel>;
}

export type Audience =
  | { kind: "public" | "unlisted" | "organization" }
  | { kind: "restricted"; restriction: Restriction };

/** Readers under a restriction, which overrides visibility. A folder has no visibility: it counts as private. */
export function audienceOf(restriction: Restriction | null, visibility: Visibility = "private"): Audience {
  if (restriction) return { kind: "restricted", restriction };
  return { kind: visibility === "private" ? "organization" : visibility };
}

/** Whether anyone can read afterwards who could not before. */
export function isWider(before: Audience, after: Audience): boolean {
  if (before.kind === "restricted" && after.kind === "restricted") {
    const { grants } = before.restriction;
    return [...after.restriction.grants.keys()].some((id) => !grants.has(id));
  }
  return audienceKinds.indexOf(after.kind) < audienceKinds.indexOf(before.kind);
}

/**
 * Whether a move takes something out of its effective restriction: to outside the restricted folder, or to a folder
 * inside it whose own restriction lets anyone do more.
 */
export function leavesRestriction(
  from: Restriction | null,
  to: { restriction: Restriction | null; isWithinFrom: boolean },
): boolean {
  if (!from || to.restriction?.folderId === from.folderId) return false;
  if (!to.restriction || !to.isWithinFrom) return true;
  return addsAccess(from, to.restriction);
}

/**
 * Whether the actor may take something out of the effective restriction of a context, and rename, move or delete the
 * restricted folder itself. `isOwnWorkspace`: the restriction is that of the actor's personal workspace, whose content
 * is theirs to publish, although its grants are not theirs to manage.
 */
export function mayLiftRestriction(
  actor: Actor,
  tenantId: string,
  context: AccessContext,
  isOwnWorkspace: boolean,
): boolean {
  if (!context.restriction) return true;
  if (isOwnWorkspace && actor.kind === "user" && !isNarrowed(limitsOf(actor))) return true;
  return mayManageGrants(actor, tenantId, context);
}

/** Whether a restriction lets anyone do more than another one does: a higher level counts as well as a new grant. */
function addsAccess(before: Restriction, after: Restriction): boolean {
  return [...after.grants].some(([id, level]) => {
    const held = before.grants.get(id);
    return held === undefined || folderLevels.indexOf(level) > folderLevels.indexOf(held);
  });
}
