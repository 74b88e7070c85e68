/** Folders on which a team has a grant. */
import type { TeamFolderPayload } from "../../../contract/payloads/organizations/folders.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { loadTenant } from "../../orgs/service.ts";
import { loadTeam } from "../../orgs/teams/teams.ts";
import { isAllowed, isVisible, loadFolderView, principalsOf } from "../load.ts";

/**
 * Requires `member:read`. As in the folder's own list of grants, callers see those of folders whose access they may
 * manage, and of their own teams. A grant on a folder that is not restricted now is listed too.
 */
export async function listTeamFolders(
  app: App,
  actor: Actor,
  tenantRef: string,
  teamId: string,
): Promise<TeamFolderPayload[]> {
  const tenant = await loadTenant(app, actor, tenantRef, "member:read");
  const team = await loadTeam(app, tenant, teamId);
  const view = await loadFolderView(app, actor, tenant._id);
  const { tree } = view;
  const isOwn = principalsOf(actor, tenant._id).includes(team._id);
  return tree
    .grantedTo([team._id])
    .filter((id) => isAllowed(view, "folder:manageAcl", id) || (isOwn && isVisible(view, id)))
    .map((id) => ({
      folder: { id, path: tree.path(id), restricted: tree.get(id)!.restricted },
      level: tree.levelOn(id, [team._id])!,
    }))
    .sort((a, b) => (a.folder.path < b.folder.path ? -1 : 1));
}
