/**
 * The access of each member and token of an organization to a folder or skill, with its reasons. For those who may
 * manage the access, since it shows the roles, teams and grants of everyone.
 */
import { z } from "zod";
import type { AccessAction } from "../../../contract/vocabulary.ts";
import { isId } from "../../../storage/database.ts";
import type { MembershipDoc } from "../../../storage/memberships/memberships.ts";
import type { Actor, Membership, OrganizationActor, UserActor } from "../../access/actor.ts";
import { allowedActions, explainAccess } from "../../access/explain.ts";
import type { App } from "../../app.ts";
import { forbidden, notFound } from "../../errors.ts";
import { decodeCursor } from "../../http/request/cursor.ts";
import { Page } from "../../http/route.ts";
import { listMembers } from "../../orgs/members/members.ts";
import { MemberCursor, type MemberQuery } from "../../orgs/schema.ts";
import { loadTenant } from "../../orgs/service.ts";
import { explainMemberships, type ExplainedMembership } from "../../users/load.ts";
import { accessContextIn, isAllowed, loadFolder, principalsOf } from "../load.ts";
import type { PlanFolderAccess } from "../schema.ts";
import type { FolderTree } from "../tree/tree.ts";
import { checkGrants, refuseManaged } from "./access.ts";
import {
  accessOfTokens,
  listTokens,
  loadToken,
  targetFolder,
  TokenCursor,
  type AccessTarget,
  type PrincipalAccess,
} from "./token-access.ts";

/** A page of the members and tokens with their access to a folder. Throws `forbidden` or `not_found`. */
export async function listFolderAccess(
  app: App,
  actor: Actor,
  folderId: string,
  query: MemberQuery,
): Promise<{ tree: FolderTree; page: Page<PrincipalAccess> }> {
  const { folder, view } = await loadFolder(app, actor, folderId, "folder:manageAcl");
  const page = await listAccess(app, actor, query, targetFolder(view.tree, folder._id));
  return { tree: view.tree, page };
}

/**
 * A page of the members and tokens with their access to a folder before and after a change of its restriction and
 * grants. Throws `forbidden` if another folder's grants would apply, and the actor may not manage those.
 */
export async function planFolderAccess(
  app: App,
  actor: Actor,
  folderId: string,
  plan: PlanFolderAccess,
  query: MemberQuery,
): Promise<Page<PrincipalAccess & { before: AccessAction[] }>> {
  const { folder, view } = await loadFolder(app, actor, folderId, "folder:manageAcl");
  const { tree } = view;
  refuseManaged(tree, folder);
  const grants = await checkGrants(app, folder.tenantId, plan);
  const planned = tree.withAccess(folder._id, { restricted: plan.restricted, grants });
  const outer = planned.effectiveRestriction(folder._id);
  if (outer !== null && outer !== folder._id && !isAllowed(view, "folder:manageAcl", outer))
    throw forbidden(
      `The restriction of "${tree.path(outer)}" would apply, and you may not read its grants: ` +
        "a manager of that folder can plan this.",
      { kind: "folder", ref: folder._id },
    );
  const principals = await listPrincipals(app, actor, folder.tenantId, query);
  const [before, after] = await Promise.all([
    accessOfAll(app, actor, principals, targetFolder(tree, folder._id)),
    accessOfAll(app, actor, principals, targetFolder(planned, folder._id)),
  ]);
  const held = new Map(before.map(({ principal, can }) => [principal.id, can]));
  return new Page(
    after.map((one) => ({ ...one, before: held.get(one.principal.id) ?? [] })),
    principals.nextCursor,
  );
}

/** A page of the members and tokens with their access. The caller has checked that the actor may manage the access. */
export async function listAccess(
  app: App,
  actor: Actor,
  query: MemberQuery,
  target: AccessTarget,
): Promise<Page<PrincipalAccess>> {
  const principals = await listPrincipals(app, actor, target.tree.tenantId, query);
  return new Page(await accessOfAll(app, actor, principals, target), principals.nextCursor);
}

interface Principals {
  members: MembershipDoc[];
  tokens: readonly OrganizationActor[];
  nextCursor: string | null;
}

/** A page of the members, by user name, and after the last one of the tokens that the caller may see. */
async function listPrincipals(
  app: App,
  actor: Actor,
  tenantId: string,
  query: MemberQuery,
): Promise<Principals> {
  const at = decodeCursor(query.cursor, z.union([TokenCursor, MemberCursor]));
  const isPastMembers = at?.length === 1;
  if (isPastMembers) await loadTenant(app, actor, tenantId, "member:read");
  const page = isPastMembers ? undefined : await listMembers(app, actor, tenantId, query);
  const members = page?.items.map(({ membership }) => membership) ?? [];
  const cursor = page?.nextCursor ?? null;
  // No token has a role or is in a team.
  if (cursor !== null || query.role !== undefined || query.team !== undefined)
    return { members, tokens: [], nextCursor: cursor };
  const after = isPastMembers ? at[0] : "";
  const room = query.limit - members.length;
  const tokens = await listTokens(app, actor, tenantId, { after, query: query.query, room });
  return { members, tokens: tokens.items, nextCursor: tokens.nextCursor };
}

async function accessOfAll(
  app: App,
  actor: Actor,
  { members, tokens }: Principals,
  target: AccessTarget,
): Promise<PrincipalAccess[]> {
  return [...(await accessOf(app, actor, members, target)), ...accessOfTokens(tokens, target)];
}

/** The access of one token, for callers who may list it. Throws `not_found`, also if they may not manage tokens. */
export async function accessOfToken(
  app: App,
  actor: Actor,
  id: string,
  target: AccessTarget,
): Promise<PrincipalAccess> {
  const token = await loadToken(app, actor, target.tree.tenantId, id);
  return accessOfTokens([token], target)[0]!;
}

/** The access of one member, for callers who may list it. Throws `not_found` for a user who is not a member. */
export async function accessOfMember(
  app: App,
  actor: Actor,
  userId: string,
  target: AccessTarget,
): Promise<PrincipalAccess> {
  const tenant = await loadTenant(app, actor, target.tree.tenantId, "member:read");
  const row = isId(userId) ? await app.storage.memberships.find(tenant._id, userId) : null;
  const [access] = row ? await accessOf(app, actor, [row], target) : [];
  if (!access) throw notFound("member", userId);
  return access;
}

/** The access of members. The caller has checked that the actor may know it. */
export async function accessOf(
  app: App,
  { origin }: Actor,
  rows: readonly MembershipDoc[],
  target: AccessTarget,
): Promise<PrincipalAccess[]> {
  const explained = await explainMemberships(app, rows);
  return explained.map((one) => accessIn(one, origin, target));
}

/** The access of a member whose permissions are known. The caller has checked that the actor may know it. */
export function accessIn(
  { row, membership, sources }: ExplainedMembership<MembershipDoc>,
  origin: Actor["origin"],
  { tree, folderId, subject }: AccessTarget,
): PrincipalAccess {
  const member = actorOf(row, membership, origin);
  const context = accessContextIn(tree, member, folderId);
  const facts = subject(context);
  const can = allowedActions(member, facts);
  const principals = principalsOf(member, tree.tenantId);
  const grants = context?.restriction
    ? tree.grantsOn(context.restriction.folderId).filter(({ id }) => principals.includes(id))
    : [];
  const reasons = explainAccess(member, facts, { can, sources, grants });
  const principal = { type: "member", id: row.userId, name: row.username } as const;
  return { principal, can, reasons };
}

/** A member as if signed in; their tokens allow the same or less. */
function actorOf(row: MembershipDoc, membership: Membership, origin: Actor["origin"]): UserActor {
  return {
    kind: "user",
    userId: row.userId,
    username: row.username,
    name: row.username,
    isAdministrator: false,
    memberships: [membership],
    via: { kind: "session", sessionId: "" },
    origin,
  };
}
