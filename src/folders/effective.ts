/**
 * The access of each member of an organization to a folder or skill, with its reasons. For those who may manage the
 * access, since it shows the roles, teams and grants of everyone.
 */
import type { AccessAction } from "../../contract/vocabulary.ts";
import type { MembershipDoc } from "../../storage/memberships.ts";
import { isId } from "../../storage/database.ts";
import type { Actor, Membership, UserActor } from "../access/actor.ts";
import type { AccessContext } from "../access/decide.ts";
import { allowedActions, explainAccess, type AccessReason, type AccessSubject } from "../access/explain.ts";
import type { App } from "../app.ts";
import { forbidden, notFound } from "../errors.ts";
import { Page } from "../http/route.ts";
import { listMembers } from "../orgs/members.ts";
import type { MemberQuery } from "../orgs/schema.ts";
import { loadTenant } from "../orgs/service.ts";
import { explainMemberships } from "../users/load.ts";
import { checkGrants, refuseManaged } from "./access.ts";
import { accessContextIn, isAllowed, loadFolder, principalsOf } from "./load.ts";
import type { PlanFolderAccess } from "./schema.ts";
import type { FolderTree } from "./tree.ts";

export interface MemberAccess {
  userId: string;
  username: string;
  can: AccessAction[];
  reasons: AccessReason[];
}

/** A folder, or a skill in it; the root has no folder. */
export interface AccessTarget {
  tree: FolderTree;
  folderId: string | null;
  subject: (context: AccessContext | null) => AccessSubject;
}

/** A page of the members, by user name, with their access to a folder. Throws `forbidden` or `not_found`. */
export async function listFolderAccess(
  app: App,
  actor: Actor,
  folderId: string,
  query: MemberQuery,
): Promise<{ tree: FolderTree; page: Page<MemberAccess> }> {
  const { folder, view } = await loadFolder(app, actor, folderId, "folder:manageAcl");
  const page = await listAccess(app, actor, query, targetFolder(view.tree, folder._id));
  return { tree: view.tree, page };
}

/**
 * A page of the members with their access to a folder before and after a change of its restriction and grants. Throws
 * `forbidden` if another folder's grants would apply, and the actor may not manage those.
 */
export async function planFolderAccess(
  app: App,
  actor: Actor,
  folderId: string,
  plan: PlanFolderAccess,
  query: MemberQuery,
): Promise<Page<MemberAccess & { before: AccessAction[] }>> {
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
  const members = await listMembers(app, actor, folder.tenantId, query);
  const rows = members.items.map(({ membership }) => membership);
  const [before, after] = await Promise.all([
    accessOf(app, actor, rows, targetFolder(tree, folder._id)),
    accessOf(app, actor, rows, targetFolder(planned, folder._id)),
  ]);
  const held = new Map(before.map(({ userId, can }) => [userId, can]));
  return new Page(
    after.map((member) => ({ ...member, before: held.get(member.userId) ?? [] })),
    members.nextCursor,
  );
}

/** A page of the members with their access. The caller has checked that the actor may manage the access. */
export async function listAccess(
  app: App,
  actor: Actor,
  query: MemberQuery,
  target: AccessTarget,
): Promise<Page<MemberAccess>> {
  const members = await listMembers(app, actor, target.tree.tenantId, query);
  const rows = members.items.map(({ membership }) => membership);
  return new Page(await accessOf(app, actor, rows, target), members.nextCursor);
}

/** The access of one member, for callers who may list it. Throws `not_found` for a user who is not a member. */
export async function accessOfMember(
  app: App,
  actor: Actor,
  userId: string,
  target: AccessTarget,
): Promise<MemberAccess> {
  const tenant = await loadTenant(app, actor, target.tree.tenantId, "member:read");
  const row = isId(userId) ? await app.storage.memberships.find(tenant._id, userId) : null;
  const [access] = row ? await accessOf(app, actor, [row], target) : [];
  if (!access) throw notFound("member", userId);
  return access;
}

export function targetFolder(tree: FolderTree, folderId: string): AccessTarget {
  const { tenantId } = tree;
  return { tree, folderId, subject: (context) => ({ tenantId, context: context! }) };
}

/** The access of members. The caller has checked that the actor may know it. */
export async function accessOf(
  app: App,
  { origin }: Actor,
  rows: readonly MembershipDoc[],
  { tree, folderId, subject }: AccessTarget,
): Promise<MemberAccess[]> {
  const explained = await explainMemberships(app, rows);
  return explained.map(({ row, membership, sources }) => {
    const member = actorOf(row, membership, origin);
    const context = accessContextIn(tree, member, folderId);
    const facts = subject(context);
    const can = allowedActions(member, facts);
    const principals = principalsOf(member, tree.tenantId);
    const grants = context?.restriction
      ? tree.grantsOn(context.restriction.folderId).filter(({ id }) => principals.includes(id))
      : [];
    const reasons = explainAccess(member, facts, { can, sources, grants });
    return { userId: row.userId, username: row.username, can, reasons };
  });
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
