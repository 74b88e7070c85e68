/**
 * Access decisions of all surfaces. They are pure: an actor, a permission and loaded facts determine the verdict.
 */
import type { FolderLevel, Permission, Visibility } from "../../contract/vocabulary.ts";
import type { Actor, Membership, TokenLimits, UserActor } from "./actor.ts";
import { isPermitted, memberMay } from "./permissions.ts";

/**
 * `absent`: the actor can't see the resource (404). `refused`: visible, but the action is not allowed (403).
 * `unauthenticated`: the caller is anonymous and a sign-in could help (401); it is the same for missing and invisible
 * resources, so that it reveals nothing.
 */
export type Verdict = "allowed" | "absent" | "refused" | "unauthenticated";

/** Folder that contains a skill or folder, or the folder itself, with the facts that a decision needs. */
export interface AccessContext {
  /** Ids of the folder and its ancestors, innermost first. */
  folderIds: readonly string[];
  /**
   * The effective restriction: the innermost restricted folder, and the highest grant on it to the actor or their
   * teams.
   */
  restriction: { folderId: string; level: FolderLevel | null } | null;
  /** Owner of the personal workspace that the folder is or is in. */
  workspaceOf?: string;
}

export interface SkillFacts {
  /** Without it, a token that is limited to skills has no permission on the skill. */
  skillId?: string;
  tenantId: string;
  visibility: Visibility;
  /** Only members of its organization see it, regardless of its visibility. */
  isTakenDown?: boolean;
  /** No version of it was ever released: only those who may update or review it see it. */
  isUnreleased?: boolean;
  /** Null for the organization's root. */
  context: AccessContext | null;
}

export interface FolderFacts {
  tenantId: string;
  context: AccessContext;
  /** Whether the actor can access a folder below it, so that it must be shown as part of the path. */
  isOnTheWay: boolean;
}

/** Decides about a skill. `undefined` facts stand for a skill that does not exist. */
export function decideSkill(actor: Actor, permission: Permission, skill: SkillFacts | undefined): Verdict {
  if (!skill) return unseenBy(actor);
  const { tenantId, context, skillId } = skill;
  const isOpen =
    skill.visibility !== "private" && !context?.restriction && !skill.isTakenDown && !skill.isUnreleased;
  const seenBy = permission === "skill:update" || permission === "skill:delete" ? [permission] : [];
  if (!isOpen && !seesIn(actor, tenantId, context, seenBy, skillId)) return unseenBy(actor);
  if (skill.isUnreleased && !seesHeld(actor, skill)) return unseenBy(actor);
  if (permission === "skill:read") return "allowed";
  if (isAllowedIn(actor, permission, tenantId, context, skillId)) return "allowed";
  return actor.kind === "anonymous" ? "unauthenticated" : "refused";
}

/** Whether the actor may see held and rejected versions of a skill that they may read. */
export function seesHeld(actor: Actor, { tenantId, context, skillId }: SkillFacts): boolean {
  return (["skill:update", "skill:review"] as const).some((permission) =>
    isAllowedIn(actor, permission, tenantId, context, skillId),
  );
}

/** Decides about a folder, or about a creation in it. `see` decides whether a tree shows it. */
export function decideFolder(
  actor: Actor,
  permission: Permission | "see",
  folder: FolderFacts | undefined,
): Verdict {
  if (!folder) return unseenBy(actor);
  const { tenantId, context } = folder;
  const isMember = isPermitted(membershipIn(actor, tenantId)?.permissions, "skill:read");
  const isSeen = seesFolder(actor, tenantId, context) || (isMember && folder.isOnTheWay);
  if (!isSeen) return unseenBy(actor);
  if (permission === "see") return "allowed";
  const may =
    permission === "folder:manageAcl"
      ? mayManageGrants(actor, tenantId, context)
      : isAllowedIn(actor, permission, tenantId, context);
  return may ? "allowed" : "refused";
}

/** Whether the actor may see a folder, other than as part of the path to one below it. */
export function seesFolder(actor: Actor, tenantId: string, context: AccessContext): boolean {
  return seesIn(actor, tenantId, context, folderUses);
}

/** Permissions that can't be used on a folder without seeing it. */
const folderUses = [
  "skill:create",
  "skill:update",
  "skill:delete",
  "folder:create",
  "folder:update",
  "folder:delete",
] as const satisfies readonly Permission[];

/**
 * Whether the actor sees a folder, or a private skill in it. A token whose scopes lack `skill: read`, although its
 * holder may read, sees what it uses one of its other permissions on.
 */
function seesIn(
  actor: Actor,
  tenantId: string,
  context: AccessContext | null,
  uses: readonly Permission[],
  skillId?: string,
): boolean {
  if (isAllowedIn(actor, "skill:read", tenantId, context, skillId)) return true;
  if (limitsOf(actor).scopes === undefined) return false;
  const { permissions } = membershipIn(actor, tenantId) ?? {};
  return (
    isPermitted(permissions, "skill:read") &&
    uses.some((permission) => isAllowedIn(actor, permission, tenantId, context, skillId))
  );
}

/**
 * Decides about a registered MCP server, which is subject to its folder as a skill is. `undefined` facts stand for a
 * server that does not exist.
 */
export function decideMcpServer(
  actor: Actor,
  permission: Permission,
  server: { tenantId: string; context: AccessContext | null } | undefined,
): Verdict {
  if (!server || !isAllowedIn(actor, "mcpServer:read", server.tenantId, server.context))
    return unseenBy(actor);
  return isAllowedIn(actor, permission, server.tenantId, server.context) ? "allowed" : "refused";
}

/**
 * Decides about a collection of skills, which is readable like the content of its folder. Who may change the folder, or
 * at the root the organization, may change the collection. `undefined` facts stand for one that does not exist.
 */
export function decideCollection(
  actor: Actor,
  act: "read" | "update",
  collection: { tenantId: string; context: AccessContext | null } | undefined,
): Verdict {
  if (!collection || !isAllowedIn(actor, "skill:read", collection.tenantId, collection.context))
    return unseenBy(actor);
  if (act === "read") return "allowed";
  const { tenantId, context } = collection;
  if (!context) return decideTenant(actor, "organization:update", tenantId);
  return isAllowedIn(actor, "folder:update", tenantId, context) ? "allowed" : "refused";
}

/** Whether the actor may administer the service: its administrator, with a session or an unlimited token. */
export function administers(actor: Actor): actor is UserActor {
  return actor.kind === "user" && actor.isAdministrator && !isNarrowed(limitsOf(actor));
}

/** Whether the account administers the service, for which its caller lacks a proof (`users/load.ts`). */
export const couldAdminister = (actor: Actor): actor is UserActor =>
  actor.kind === "user" &&
  administers({ ...actor, isAdministrator: actor.account?.isAdministrator === true });

/** Decides about an organization, which only its members can see. */
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
  if (limits.allowedFolderIds || limits.skillIds) return "refused";
  return memberMay(membership, limits, permission) ? "allowed" : "refused";
}

/**
 * Whether the actor has a permission on the content of a folder, or on the folder itself; null is the organization's
 * root. All decisions about folders and skills are based on it. `skillId`: the skill that the permission is used on; a
 * token that is limited to skills has no permission without one.
 */
export function isAllowedIn(
  actor: Actor,
  permission: Permission,
  tenantId: string,
  context: AccessContext | null,
  skillId?: string,
): boolean {
  const limits = limitsOf(actor);
  if (!isInsideAllowedFolders(limits, context)) return false;
  if (limits.skillIds && (skillId === undefined || !limits.skillIds.includes(skillId))) return false;
  if (!memberMay(membershipIn(actor, tenantId), limits, permission)) return false;
  if (!context?.restriction || bypassesRestrictions(actor, tenantId)) return true;
  return levelAllows(levelIn(actor, context), permission);
}

/**
 * Whether folder restrictions do not apply to the actor: members with `folder: manageAcl`, also with a limited token,
 * and unlimited tokens of an organization.
 */
export function bypassesRestrictions(actor: Actor, tenantId: string): boolean {
  if (!isPermitted(membershipIn(actor, tenantId)?.permissions, "folder:manageAcl")) return false;
  return actor.kind === "user" || !isNarrowed(limitsOf(actor));
}

/** Organizations in which the actor has a permission to read; lists then filter by folder. */
export function readableTenants(
  actor: Actor,
  permission: "skill:read" | "mcpServer:read" = "skill:read",
): string[] {
  if (actor.kind === "anonymous") return [];
  const limits = limitsOf(actor);
  return actor.memberships.filter((m) => memberMay(m, limits, permission)).map((m) => m.tenantId);
}

export function membershipIn(actor: Actor, tenantId: string): Membership | undefined {
  return actor.kind === "anonymous" ? undefined : actor.memberships.find((m) => m.tenantId === tenantId);
}

export function limitsOf(actor: Actor): TokenLimits {
  if (actor.kind === "organization") return actor.limits;
  return actor.kind === "user" && actor.via.kind === "token" ? actor.via.limits : {};
}

/** Whether a token is limited in any way. */
export function isNarrowed(limits: TokenLimits): boolean {
  const { scopes, allowedFolderIds, skillIds } = limits;
  return scopes !== undefined || allowedFolderIds !== undefined || skillIds !== undefined;
}

/** Managing a folder's grants requires the permission, or a manager grant and a role that may change folders. */
export function mayManageGrants(actor: Actor, tenantId: string, context: AccessContext): boolean {
  const limits = limitsOf(actor);
  const membership = membershipIn(actor, tenantId);
  if (isNarrowed(limits)) return false;
  if (memberMay(membership, limits, "folder:manageAcl")) return true;
  return memberMay(membership, limits, "folder:update") && context.restriction?.level === "manager";
}

function unseenBy(actor: Actor): Verdict {
  return actor.kind === "anonymous" ? "unauthenticated" : "absent";
}

/**
 * Level of an actor in a restricted folder. A folder that an organization's token is limited to counts as an editor
 * grant on its subtree, and so does a skill on itself. The owner of a personal workspace has access to all of it.
 */
export function levelIn(actor: Actor, context: AccessContext): FolderLevel | null {
  if (actor.kind === "organization" && (actor.limits.allowedFolderIds || actor.limits.skillIds))
    return "editor";
  const granted = context.restriction?.level ?? null;
  const isOwn = actor.kind === "user" && context.workspaceOf === actor.userId;
  return isOwn && granted !== "manager" ? "editor" : granted;
}

/** Whether a level allows a permission, which the role must have as well. */
function levelAllows(level: FolderLevel | null, permission: Permission): boolean {
  if (level === null) return false;
  if (/^(skill|analytics|mcpServer):read$/.test(permission) || permission === "skill:review") return true;
  return level !== "viewer" && /^(skill|folder|mcpServer):(create|update|delete)$/.test(permission);
}

function isInsideAllowedFolders(limits: TokenLimits, context: AccessContext | null): boolean {
  const { allowedFolderIds } = limits;
  return (
    allowedFolderIds === undefined ||
    (context?.folderIds.some((id) => allowedFolderIds.includes(id)) ?? false)
  );
}
