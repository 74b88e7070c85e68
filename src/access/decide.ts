/**
 * Who may do what: one pure decision, asked by every surface. It sees an actor, a permission and facts already
 * loaded; it reads nothing and remembers nothing.
 */
import type { Permission, Visibility } from "../../contract/vocabulary.ts";
import type { Actor, Membership, TokenLimits } from "./actor.ts";
import { memberMay } from "./permissions.ts";

/**
 * `absent`: to this actor the thing does not exist (404). `refused`: in sight, but the act is out of reach (403).
 * `unauthenticated`: nothing is known about the caller and a sign-in could help (401); given for the unknown and
 * the unseen alike, so that it tells nothing.
 */
export type Verdict = "allowed" | "absent" | "refused" | "unauthenticated";

export interface SkillFacts {
  tenantId: string;
  visibility: Visibility;
  folderId: string | null;
}

/** Decides about a skill. `undefined` facts stand for a skill that does not exist. */
export function decideSkill(actor: Actor, permission: Permission, skill: SkillFacts | undefined): Verdict {
  const unseen: Verdict = actor.kind === "anonymous" ? "unauthenticated" : "absent";
  if (!skill) return unseen;

  const limits = limitsOf(actor);
  const membership = membershipIn(actor, skill.tenantId);
  const inReach = isInsideAllowedFolders(limits, skill.folderId);
  const isOpen = skill.visibility !== "private";
  const mayRead = isOpen || (inReach && memberMay(membership, limits, "skill:read"));
  if (!mayRead) return unseen;
  if (permission === "skill:read") return "allowed";
  if (inReach && memberMay(membership, limits, permission)) return "allowed";
  return actor.kind === "anonymous" ? "unauthenticated" : "refused";
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
  return memberMay(membership, limitsOf(actor), permission) ? "allowed" : "refused";
}

/** The organizations in which the actor may read skills of every visibility: what lists filter by. */
export function readableTenants(actor: Actor): string[] {
  if (actor.kind === "anonymous") return [];
  const limits = limitsOf(actor);
  if (limits.allowedFolderIds) return [];
  return actor.memberships.filter((m) => memberMay(m, limits, "skill:read")).map((m) => m.tenantId);
}

export function membershipIn(actor: Actor, tenantId: string): Membership | undefined {
  return actor.kind === "user" ? actor.memberships.find((m) => m.tenantId === tenantId) : undefined;
}

export function limitsOf(actor: Actor): TokenLimits {
  return actor.kind === "user" && actor.via.kind === "token" ? actor.via.limits : {};
}

function isInsideAllowedFolders(limits: TokenLimits, folderId: string | null): boolean {
  return (
    limits.allowedFolderIds === undefined || (folderId !== null && limits.allowedFolderIds.includes(folderId))
  );
}
