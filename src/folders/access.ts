/** A folder's restriction and grants: who may read and change what lies beneath it. */
import { limits } from "../../contract/limits.ts";
import type { FolderLevel } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { FolderDoc, FolderGrant } from "../../storage/folders.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, notFound } from "../errors.ts";
import { changeTree } from "./change.ts";
import { managedFolder } from "./create.ts";
import {
  admitFolder,
  isAllowed,
  loadFolder,
  loadFolderView,
  placeIn,
  principalsOf,
  type FolderView,
} from "./load.ts";
import type { UpdateFolderAccess } from "./schema.ts";
import { queueGoverning } from "./update.ts";

export interface FolderAccess {
  folder: FolderDoc;
  /** All of them for who may manage them, else those that are the caller's. */
  grants: FolderGrant[];
  governingFolderId: string | null;
  level: FolderLevel | null;
  canManage: boolean;
}

export async function readFolderAccess(app: App, actor: Actor, id: string): Promise<FolderAccess> {
  const { folder, view } = await loadFolder(app, actor, id, "see");
  return accessOf(view, folder);
}

function accessOf(view: FolderView, folder: FolderDoc): FolderAccess {
  const { tree, actor } = view;
  const governing = placeIn(tree, actor, folder._id)?.governing ?? null;
  const canManage = isAllowed(view, "folder:manageAcl", folder._id);
  const own = principalsOf(actor, folder.tenantId);
  return {
    folder,
    grants: canManage ? folder.grants : folder.grants.filter((grant) => own.includes(grant.id)),
    governingFolderId: governing?.folderId ?? null,
    level: governing?.level ?? null,
    canManage,
  };
}

/**
 * Puts a restriction and its grants in place of what there was, in one write. Skills beneath are out of sight for
 * everybody without a grant from that write on.
 */
export async function updateFolderAccess(
  app: App,
  actor: Actor,
  id: string,
  input: UpdateFolderAccess,
): Promise<FolderAccess> {
  const { folder, view } = await loadFolder(app, actor, id, "folder:manageAcl");
  const { tenantId } = folder;
  if (folder.managed)
    throw managedFolder(view.tree.path(id), "the organization's workspace settings change who sees it");
  if (input.grants.length > limits.grantsPerFolder) {
    const limit = limits.grantsPerFolder;
    throw new ServiceError("limit_reached", `A folder may have ${limit} grants: grant a team instead.`, {
      limit,
    });
  }
  const grants = input.grants.map(({ principal, level }): FolderGrant => ({ ...principal, level }));
  await checkPrincipals(app, tenantId, grants);
  await changeTree(app, tenantId, async (tree) => {
    const current = { tree, actor };
    const before = await app.storage.folders.find(id);
    if (!before) throw notFound("folder", id);
    admitFolder(current, "folder:manageAcl", id, id);
    if (input.revision !== undefined && input.revision !== before.revision)
      throw new ServiceError("conflict", "The folder was changed meanwhile: read it again.", {
        kind: "folder",
        ref: id,
        revision: before.revision,
      });
    const total = tree.grantCount - before.grants.length + grants.length;
    if (total > limits.grantsPerOrganization) {
      const limit = limits.grantsPerOrganization;
      const message = `An organization may have ${limit} grants on its folders: grant teams instead of people.`;
      throw new ServiceError("limit_reached", message, { limit });
    }
    const changes = changesOf(before.grants, grants);
    if (before.restricted === input.restricted && changes.total === 0) return undefined;
    const event = makeEvent(app, actor, "folder.acl_updated", {
      tenantId,
      resourceType: "folder",
      resourceId: id,
      metadata: { path: tree.path(id), restricted: input.restricted, ...changes },
    });
    const after = { ...before, restricted: input.restricted, grants, updatedAt: app.now() };
    return {
      rows: [after],
      events: [event],
      ...(before.restricted === input.restricted ? {} : { outdated: [id] }),
    };
  });
  queueGoverning(app, tenantId);
  const changed = await app.storage.folders.find(id);
  if (!changed) throw notFound("folder", id);
  return accessOf(await loadFolderView(app, actor, tenantId), changed);
}

/** Grants go to this organization's members and teams; anybody else's id is unknown here. */
async function checkPrincipals(app: App, tenantId: string, grants: readonly FolderGrant[]): Promise<void> {
  const idsOf = (type: FolderGrant["type"]) =>
    grants.filter((grant) => grant.type === type).map(({ id }) => id);
  const [members, teams] = await Promise.all([
    app.storage.memberships.listByUserIds(tenantId, idsOf("member").filter(isId)),
    app.storage.teams.listByIds(idsOf("team").filter(isId)),
  ]);
  const ownTeams = teams.filter((team) => team.tenantId === tenantId);
  const known = {
    member: new Set(members.map((member) => member.userId)),
    team: new Set(ownTeams.map((team) => team._id)),
  };
  const stranger = grants.find(({ type, id }) => !known[type].has(id));
  if (stranger)
    throw new ServiceError(
      "not_found",
      `No ${stranger.type} "${stranger.id}" belongs to this organization.`,
      {
        kind: stranger.type,
        ref: stranger.id,
      },
    );
}

/** For the log: what came and went, the first hundred of each by name. */
function changesOf(before: readonly FolderGrant[], after: readonly FolderGrant[]) {
  const key = ({ type, id }: FolderGrant) => `${type}:${id}`;
  const shown = (grants: readonly FolderGrant[]) =>
    grants.slice(0, 100).map((grant) => `${key(grant)}=${grant.level}`);
  const old = new Map(before.map((grant) => [key(grant), grant.level]));
  const now = new Set(after.map(key));
  const granted = after.filter((grant) => old.get(key(grant)) !== grant.level);
  const revoked = before.filter((grant) => !now.has(key(grant)));
  return { granted: shown(granted), revoked: shown(revoked), total: granted.length + revoked.length };
}

/** Takes every grant from somebody who has left, folder by folder; a grant without a membership gives nothing anyway. */
export async function revokeGrantsOf(app: App, tenantId: string, principalId: string): Promise<void> {
  for (;;) {
    const ids = await app.storage.folders.listGrantedTo(tenantId, principalId, 100);
    if (ids.length === 0) return;
    await changeTree(app, tenantId, async () => {
      const found = await Promise.all(ids.map((id) => app.storage.folders.find(id)));
      const rows = found
        .filter((folder) => folder !== null)
        .map((folder) => ({ ...folder, grants: folder.grants.filter((grant) => grant.id !== principalId) }));
      return rows.length === 0 ? undefined : { rows, events: [] };
    });
  }
}
