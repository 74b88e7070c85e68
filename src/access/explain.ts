/**
 * Explains the access of a member or an organization's token to a skill or folder. Each decision is made by
 * `decide.ts`; this module names the facts that lead to it, and grants nothing.
 */
import { skillActs, type SkillAct } from "../../contract/dashboard/lists.ts";
import {
  accessActions,
  type AccessAction,
  type FolderLevel,
  type Permission,
  type PrincipalType,
} from "../../contract/vocabulary.ts";
import type { Actor, OrganizationActor, PermissionMap, TokenLimits, UserActor } from "./actor.ts";
import {
  bypassesRestrictions,
  decideFolder,
  decideSkill,
  isAllowedIn,
  type AccessContext,
  type SkillFacts,
} from "./decide.ts";
import { isPermitted } from "./permissions.ts";

/** A role of a member, or a team of theirs, with the permissions that it gives. */
export interface PermissionSource {
  kind: "role" | "team";
  /** A built-in role's name, or the id of a custom role or team. */
  id: string;
  permissions: PermissionMap;
}

/** A grant on the effective restriction, to the member or to one of their teams. */
export interface HeldGrant {
  type: PrincipalType;
  id: string;
  level: FolderLevel;
}

export type AccessReason =
  | { kind: "role" | "team"; id: string }
  | { kind: "grant"; grant: HeldGrant }
  /** An organization's token, with its limits. It is the first reason of a token, whether it has access or not. */
  | { kind: "token"; id: string; name: string; limits: TokenLimits }
  /** The member has `folder:manageAcl`, or the token no limits, so that restrictions do not apply. */
  | { kind: "bypass" }
  /** The skill or folder is in the member's own workspace. */
  | { kind: "workspace" }
  /** Anyone can read the skill. */
  | { kind: "visibility" }
  /**
   * No access: the folder is restricted, and there is no grant on it to the member, or the token is not limited to it.
   */
  | { kind: "ungranted"; folderId: string }
  /** No access: neither the role nor a team of the member, or not the token, allows reading skills. */
  | { kind: "unpermitted" };

const permissionOf: Record<AccessAction, Permission> = {
  read: "skill:read",
  create: "skill:create",
  update: "skill:update",
  delete: "skill:delete",
  manage: "folder:manageAcl",
};

/** A folder, or a skill with its visibility; the context of a skill at the root is null. */
export type AccessSubject = SkillFacts | { tenantId: string; context: AccessContext };

/** The actions that an actor may do in a folder, or with a skill. */
export function allowedActions(actor: Actor, subject: AccessSubject): AccessAction[] {
  const { tenantId, context } = subject;
  const inFolder = (permission: Permission) =>
    context !== null &&
    decideFolder(actor, permission, { tenantId, context, isOnTheWay: false }) === "allowed";
  return accessActions.filter((action) => {
    const permission = permissionOf[action];
    if (!("visibility" in subject)) return inFolder(permission);
    if (action === "create") return false;
    return action === "manage" ? inFolder(permission) : decideSkill(actor, permission, subject) === "allowed";
  });
}

/** The acts that a caller may do on a skill that they can see. */
export function actsOnSkill(actor: Actor, skill: SkillFacts): SkillAct[] {
  const allowed: readonly string[] = allowedActions(actor, skill);
  const may = (permission: Permission) => decideSkill(actor, permission, skill) === "allowed";
  return skillActs.filter((act) => {
    if (act === "analytics") return may("analytics:read");
    return act === "review" ? may("skill:review") : allowed.includes(act);
  });
}

/** The reasons for which an actor may do these actions or, if there are none, has no access. */
export function explainAccess(
  actor: UserActor,
  { tenantId, context }: AccessSubject,
  facts: { can: readonly AccessAction[]; sources: readonly PermissionSource[]; grants: readonly HeldGrant[] },
): AccessReason[] {
  const { can, sources, grants } = facts;
  const restriction = context?.restriction;
  if (can.length === 0) {
    const isReader = sources.some(({ permissions }) => isPermitted(permissions, "skill:read"));
    return isReader && restriction
      ? [{ kind: "ungranted", folderId: restriction.folderId }]
      : [{ kind: "unpermitted" }];
  }
  if (!isAllowedIn(actor, "skill:read", tenantId, context)) return [{ kind: "visibility" }];
  const giving = sources.filter(({ permissions }) =>
    can.some((action) => isPermitted(permissions, permissionOf[action])),
  );
  const reasons: AccessReason[] = giving.map(({ kind, id }) => ({ kind, id }));
  if (!restriction) return reasons;
  if (bypassesRestrictions(actor, tenantId)) return [...reasons, { kind: "bypass" }];
  if (context.workspaceOf === actor.userId) reasons.push({ kind: "workspace" });
  return [...reasons, ...grants.map((grant): AccessReason => ({ kind: "grant", grant }))];
}

/** The token with its limits, and what else decides its access. */
export function explainToken(
  token: OrganizationActor,
  { tenantId, context }: AccessSubject,
  can: readonly AccessAction[],
): AccessReason[] {
  const { tokenId: id, tokenName: name, limits } = token;
  const reason: AccessReason = { kind: "token", id, name, limits };
  if (!isAllowedIn(token, "skill:read", tenantId, context)) {
    if (can.length > 0) return can.includes("read") ? [reason, { kind: "visibility" }] : [reason];
    const restriction = context?.restriction;
    const isReader = context && isAllowedIn(token, "skill:read", tenantId, { ...context, restriction: null });
    return isReader && restriction
      ? [reason, { kind: "ungranted", folderId: restriction.folderId }]
      : [reason, { kind: "unpermitted" }];
  }
  return context?.restriction && bypassesRestrictions(token, tenantId)
    ? [reason, { kind: "bypass" }]
    : [reason];
}
