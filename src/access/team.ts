/** Rules of team membership: a new member of a team gets its grants on restricted folders. */
import { folderLevels, type FolderLevel } from "../../contract/vocabulary.ts";
import type { Actor } from "./actor.ts";
import { bypassesRestrictions } from "./decide.ts";

/** A restricted folder that a team has a grant on. */
export interface TeamGrant {
  /** Level that the grant gives to the team. */
  level: FolderLevel;
  /** The highest level that the actor has there. */
  held: FolderLevel | null;
}

/** Whether the actor holds everything that a team's grants give: at least the same level on each folder. */
export function holdsGrants(actor: Actor, tenantId: string, grants: readonly TeamGrant[]): boolean {
  return (
    bypassesRestrictions(actor, tenantId) || grants.every(({ level, held }) => rank(held) >= rank(level))
  );
}

const rank = (level: FolderLevel | null) => (level === null ? -1 : folderLevels.indexOf(level));

/** The highest of several levels. */
export function highestLevel(levels: readonly FolderLevel[]): FolderLevel | null {
  return levels.reduce<FolderLevel | null>((best, level) => (rank(level) > rank(best) ? level : best), null);
}
