/**
 * Access of a member with its reasons, by restriction: all folders without one are alike, and so are all folders in
 * which a restriction is in effect.
 */
import type { MemberFolderPayload } from "../../../contract/payloads/organizations/folders.ts";
import { isId } from "../../../storage/database.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { loadTenant } from "../../orgs/service.ts";
import { explainMemberships } from "../../users/load.ts";
import { isAllowed, isVisible, loadFolderView, visibleFolders } from "../load.ts";
import { accessIn } from "./effective.ts";
import { presentAccess } from "./present-access.ts";
import { targetFolder, type AccessTarget } from "./token-access.ts";

/**
 * The access of a member, with the folders without a restriction first, and then by path. Requires `member:read`. As in
 * the access of a folder, callers see restricted folders whose access they may manage and, of their own, those that
 * they see.
 */
export async function listMemberFolders(
  app: App,
  actor: Actor,
  tenantRef: string,
  userId: string,
): Promise<MemberFolderPayload[]> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  const row = isId(userId) ? await app.storage.memberships.find(tenant._id, userId) : null;
  const [explained] = row ? await explainMemberships(app, [row]) : [];
  if (!explained) throw notFound("member", userId);
  const view = await loadFolderView(app, actor, tenant._id);
  const { tree } = view;
  const isSelf = actor.kind === "user" && actorId(actor) === userId;
  // First those that are seen at all: to find it out for one folder takes time in proportion to the caller's grants.
  const seen = visibleFolders(view);
  const folders = tree
    .restrictedFolders()
    .filter((id) => seen.has(id))
    .filter((id) => isAllowed(view, "folder:manageAcl", id) || (isSelf && isVisible(view, id)))
    .map((id) => ({ id, path: tree.path(id) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const open: AccessTarget = {
    tree,
    folderId: null,
    subject: () => ({ tenantId: tenant._id, context: { folderIds: [], restriction: null } }),
  };
  const targets = [open, ...folders.map(({ id }) => targetFolder(tree, id))];
  const access = targets.map((target) => accessIn(explained, actor.origin, target));
  const presented = await presentAccess(app, view, access);
  return presented.map(({ can, reasons }, index) => ({ folder: folders[index - 1] ?? null, can, reasons }));
}
