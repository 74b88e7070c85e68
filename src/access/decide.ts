/**
 * Who may do what: one pure decision, asked by every surface. It sees an actor, a permission and facts already
 * loaded; it reads nothing and remembers nothing.
 */
import type { FolderLevel, Permission, Visibility } from "../../contract/vocabulary.ts";
import type { Actor, Membership, TokenLimits, UserActor } from "./actor.ts";
import { isPermitted, memberMay } from "./permissions.ts";

/**
 * `absent`: to this actor the thing does not exist (404). `refused`: in sight, but the act is out of reach (403).
 * `unauthenticated`: nothing is known about the caller and a sign-in could help (401); given for the unknown and
 * the unseen alike, so that it tells nothing.
 */
export type Verdict = "allowed" | "absent" | "refused" | "unauthenticated";

/** A folder that something lies in, as the decision needs to know it. */
export interface PlaceFacts {
  /** The folder itself and those around it, from the inside out. */
  folderIds: readonly string[];
  /** The deepest restricted one of them, with the highest grant on it to the actor or one of their teams. */
  governing: { folderId: string; level: FolderLevel | null } | null;
  /** The member whose personal workspace the folder is, or lies in. */
  workspaceOf?: string;
}

export interface SkillFacts {
  tenantId: string;
  visibility: Visibility;
  /** An administrator of the service keeps it from everyone but its own members, whatever its visibility. */
  isTakenDown?: boolean;
  /** Null at the organization's root. */
  place: PlaceFacts | null;
}

export interface FolderFacts {
  tenantId: string;
  place: PlaceFacts;
  /** Whether a folder beneath is within the actor's reach, so that the way to it has to be shown. */
  isOnTheWay: boolean;
}

/** Decides about a skill. `undefined` facts stand for a skill that does not exist. */
export function decideSkill(actor: Actor, permission: Permission, skill: SkillFacts | undefined): Verdict {
  if (!skill) return unseenBy(actor);
  const isOpen = skill.visibility !== "private" && !skill.place?.governing && !skill.isTakenDown;
  if (!isOpen && !mayInPlace(actor, "skill:read", skill.tenantId, skill.place)) return unseenBy(actor);
  if (permission === "skill:read") return "allowed";
  if (mayInPlace(actor, permission, skill.tenantId, skill.place)) return "allowed";
  return actor.kind === "anonymous" ? "unauthenticated" : "refused";
}

/** Decides about a folder, or about what is to be made in it. `see` asks whether a tree shows it. */
export function decideFolder(
  actor: Actor,
  permission: Permission | "see",
  folder: FolderFacts | undefined,
): Verdict {
  if (!folder) return unseenBy(actor);
  const { tenantId, place } = folder;
  const isMember = memberMay(membershipIn(actor, tenantId), limitsOf(actor), "skill:read");
  const isReadable = mayInPlace(actor, "skill:read", tenantId, place);
  if (!isReadable && !(isMember && folder.isOnTheWay)) return unseenBy(actor);
  if (permission === "see") return "allowed";
  const may =
    permission === "folder:manageAcl"
      ? mayManageGrants(actor, tenantId, place)
      : mayInPlace(actor, permission, tenantId, place);
  return may ? "allowed" : "refused";
}

/** Whether the actor may administer the service: its administrator, with a session or an unlimited token. */
export function administers(actor: Actor): actor is UserActor {
  return actor.kind === "user" && actor.isAdministrator && !isNarrowed(limitsOf(actor));
}

/** Decides about an organization: to anybody but its members it does not exist. */
export function decideTenant(
  actor: Actor,
  permission: Permission | "member",
  tenantId: string | undefined,
): Verdict {
  if (actor.kind === "anonymous") return "unauthenticated";
  const membership = tenantId === undefined ? undefined : membershipIn(actor, tenantId);
  if (!membership) return "absent";
  if (permission === "member") return "allowed";
  const limits = limitsOf(actor);
  // A permission for the whole organization does not belong to any folder.
  if (limits.allowedFolderIds) return "refused";
  return memberMay(membership, limits, permission) ? "allowed" : "refused";
}

/**
 * Whether the actor may do something to what lies in a place, or to the place itself; null is the organization's root.
 * Every decision about folders and skills comes down to this one.
 */
export function mayInPlace(
  actor: Actor,
  permission: Permission,
  tenantId: string,
  place: PlaceFacts | null,
): boolean {
  const limits = limitsOf(actor);
  if (!isInsideAllowedFolders(limits, place)) return false;
  if (!memberMay(membershipIn(actor, tenantId), limits, permission)) return false;
  if (!place?.governing || bypassesRestrictions(actor, tenantId)) return true;
  return levelAllows(levelIn(actor, place), permission);
}

/**
 * Whether the actor is beyond folder restrictions: holders of `folder: manageAcl` are, whatever narrows the token they
 * come by, and an organization's own token is while nothing narrows it.
 */
export function bypassesRestrictions(actor: Actor, tenantId: string): boolean {
  if (!isPermitted(membershipIn(actor, tenantId)?.permissions, "folder:manageAcl")) return false;
  return actor.kind === "user" || !isNarrowed(limitsOf(actor));
}

/** The organizations in which the actor may read skills at all: what lists filter by, folder by folder. */
export function readableTenants(actor: Actor): string[] {
  if (actor.kind === "anonymous") return [];
  const limits = limitsOf(actor);
  return actor.memberships.filter((m) => memberMay(m, limits, "skill:read")).map((m) => m.tenantId);
}

export function membershipIn(actor: Actor, tenantId: string): Membership | undefined {
  return actor.kind === "anonymous" ? undefined : actor.memberships.find((m) => m.tenantId === tenantId);
}

export function limitsOf(actor: Actor): TokenLimits {
  if (actor.kind === "organization") return actor.limits;
  return actor.kind === "user" && actor.via.kind === "token" ? actor.via.limits : {};
}

/** Whether a token was narrowed in any way when it was made. */
export function isNarrowed(limits: TokenLimits): boolean {
  return limits.scopes !== undefined || limits.allowedFolderIds !== undefined;
}

/** Managing a folder's grants needs the permission, or a manager's grant and a role that may change folders at all. */
export function mayManageGrants(actor: Actor, tenantId: string, place: PlaceFacts): boolean {
  const limits = limitsOf(actor);
  const membership = membershipIn(actor, tenantId);
  if (isNarrowed(limits)) return false;
  if (memberMay(membership, limits, "folder:manageAcl")) return true;
  return memberMay(membership, limits, "folder:update") && place.governing?.level === "manager";
}

function unseenBy(actor: Actor): Verdict {
  return actor.kind === "anonymous" ? "unauthenticated" : "absent";
}

/**
 * The level that an actor has in a restricted place. Naming a folder in an organization token's restrictions counts as
 * an editor's grant on its subtree. A personal workspace includes its member, whatever is restricted in it.
 */
export function levelIn(actor: Actor, place: PlaceFacts): FolderLevel | null {
  if (actor.kind === "organization" && actor.limits.allowedFolderIds) return "editor";
  const granted = place.governing?.level ?? null;
  const isOwn = actor.kind === "user" && place.workspaceOf === actor.userId;
  return isOwn && granted !== "manager" ? "editor" : granted;
}

/** A grant caps: what it names may be done where the permissions have it too. */
function levelAllows(level: FolderLevel | null, permission: Permission): boolean {
  if (level === null) return false;
  if (permission === "skill:read" || permission === "analytics:read") return true;
  return level !== "viewer" && /^(skill|folder):(create|update|delete)$/.test(permission);
}

function isInsideAllowedFolders(limits: TokenLimits, place: PlaceFacts | null): boolean {
  const { allowedFolderIds } = limits;
  return (
    allowedFolderIds === undefined || (place?.folderIds.some((id) => allowedFolderIds.includes(id)) ?? false)
  );
}
