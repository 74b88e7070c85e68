/** Rules for grants on restricted folders that a team or member has, which a caller extends. */
import { folderLevels, type FolderLevel } from "../../contract/vocabulary.ts";
import type { Actor } from "./actor.ts";
import { bypassesRestrictions } from "./decide.ts";

/** A restricted folder that the team or member has a grant on. */
export interface HeldGrant {
  /** Level that the grant gives. */
  level: FolderLevel;
  /** The highest level that the actor has there. */
  held: FolderLevel | null;
}

/** Whether the actor holds everything that the grants give: at least the same level on each folder. */
export function holdsGrants(actor: Actor, tenantId: string, grants: readonly HeldGrant[]): boolean {
  return (
    bypassesRestrictions(actor, tenantId) || grants.every(({ level, held }) => rank(held) >= rank(level))
  );
}

const rank = (level: FolderLevel | null) => (level === null ? -1 : folderLevels.indexOf(level));

/** The highest of several levels. */
export function highestLevel(levels: readonly FolderLevel[]): FolderLevel | null {
  return levels.reduce<FolderLevel | null>((best, level) => (rank(level) > rank(best) ? level : best), null);
}
