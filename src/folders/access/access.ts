/** Restriction and grants of a folder, which determine who may read and change its content. */
import { limits } from "../../../contract/limits.ts";
import type { FolderLevel } from "../../../contract/vocabulary.ts";
import { isId } from "../../../storage/database.ts";
import type { FolderDoc, FolderGrant } from "../../../storage/folders/folders.ts";
import type { Actor } from "../../access/actor.ts";
import { levelIn } from "../../access/decide.ts";
import { audienceOf } from "../../access/exposure.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, notFound } from "../../errors.ts";
import {
  authorizeFolder,
  isAllowed,
  loadFolder,
  loadFolderView,
  accessContextIn,
  principalsOf,
  type FolderView,
} from "../load.ts";
import type { UpdateFolderAccess } from "../schema.ts";
import { changeTree } from "../tree/change.ts";
import { managedFolder } from "../tree/refusals.ts";
import type { FolderTree } from "../tree/tree.ts";
import { coveredBy, restrictionIn, restrictionOf, type AudienceChange } from "./exposure.ts";
import { queueEffectiveAccessUpdate } from "./update-effective-access.ts";

export interface FolderAccess {
  folder: FolderDoc;
  /** All grants for a caller who may manage them, otherwise the caller's own. */
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
  const context = accessContextIn(tree, actor, folder._id);
  const canManage = isAllowed(view, "folder:manageAcl", folder._id);
  const own = principalsOf(actor, folder.tenantId);
  return {
    folder,
    grants: canManage ? folder.grants : folder.grants.filter((grant) => own.includes(grant.id)),
    governingFolderId: context?.restriction?.folderId ?? null,
    level: context?.restriction ? levelIn(actor, context) : null,
    canManage,
  };
}

export interface ChangedAccess extends FolderAccess {
  /** `uncovered`: folders in it for which a restriction ends. */
  exposure: AudienceChange & { uncovered: string[] };
}

/**
 * Replaces a folder's restriction and grants in one write. From that write on, skills in it are absent for everyone
 * without a grant.
 */
export async function updateFolderAccess(
  app: App,
  actor: Actor,
  id: string,
  input: UpdateFolderAccess,
): Promise<ChangedAccess> {
  const { folder, view } = await loadFolder(app, actor, id, "folder:manageAcl");
  const { tenantId } = folder;
  refuseManaged(view.tree, folder);
  const grants = await checkGrants(app, tenantId, input);
  let exposure: ChangedAccess["exposure"] | undefined;
  let planned: FolderDoc | undefined;
  await changeTree(app, tenantId, async (tree) => {
    const current = { tree, actor };
    const before = await app.storage.folders.find(id);
    if (!before) throw notFound("folder", id);
    authorizeFolder(current, "folder:manageAcl", id, id);
    refuseManaged(tree, before);
    if (input.revision !== undefined && input.revision !== before.revision)
      throw new ServiceError("conflict", "The folder has changed: read it again.", {
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
    const after = { ...before, restricted: input.restricted, grants, updatedAt: app.now() };
    exposure = exposureOf(tree, before, after);
    planned = after;
    if (input.dryRun) return undefined;
    if (before.restricted === input.restricted && changes.total === 0) return undefined;
    const event = makeEvent(app, actor, "folder.acl_updated", {
      tenantId,
      resourceType: "folder",
      resourceId: id,
      metadata: { path: tree.path(id), restricted: input.restricted, ...changes },
    });
    return {
      rows: [after],
      events: [event],
      outdated: before.restricted === input.restricted ? [] : [id],
    };
  });
  if (!input.dryRun) queueEffectiveAccessUpdate(app, tenantId);
  const changed = input.dryRun ? planned : await app.storage.folders.find(id);
  if (!changed || !exposure) throw notFound("folder", id);
  return { ...accessOf(await loadFolderView(app, actor, tenantId), changed), exposure };
}

/**
 * The grants of a request as they are stored. Throws `limit_reached`, or `not_found` for a principal from elsewhere.
 */
export async function checkGrants(
  app: App,
  tenantId: string,
  input: Pick<UpdateFolderAccess, "grants">,
): Promise<FolderGrant[]> {
  if (input.grants.length > limits.grantsPerFolder) {
    const limit = limits.grantsPerFolder;
    throw new ServiceError("limit_reached", `A folder may have ${limit} grants: grant a team instead.`, {
      limit,
    });
  }
  const grants = input.grants.map(({ principal, level }): FolderGrant => ({ ...principal, level }));
  await checkPrincipals(app, tenantId, grants);
  return grants;
}

function exposureOf(tree: FolderTree, before: FolderDoc, after: FolderDoc): ChangedAccess["exposure"] {
  const around = restrictionIn(tree, before.parentId);
  const restrictionAt = (folder: FolderDoc) =>
    folder.restricted ? restrictionOf(folder._id, folder.grants) : around;
  const [from, to] = [restrictionAt(before), restrictionAt(after)];
  const uncovered = from && !to ? coveredBy(tree, before._id, from) : [];
  return { tenantId: before.tenantId, before: audienceOf(from), after: audienceOf(to), uncovered };
}

/** Only the member has access to a personal workspace and its content, and no restriction may change that. */
export function refuseManaged(tree: FolderTree, folder: FolderDoc): void {
  if (folder.managed)
    throw managedFolder(tree.path(folder._id), "the organization's workspace settings change who sees it");
  const workspace = tree.workspaceAround(folder._id);
  if (!workspace) return;
  const path = tree.path(workspace._id);
  throw managedFolder(path, "nothing in it can be restricted. Move the folder out of the workspace first");
}

/** Grants are for members and teams of this organization; any other id is not found. */
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
  const unknown = grants.find(({ type, id }) => !known[type].has(id));
  if (unknown)
    throw new ServiceError("not_found", `No ${unknown.type} "${unknown.id}" belongs to this organization.`, {
      kind: unknown.type,
      ref: unknown.id,
    });
}

/** Granted and revoked access for the audit log, at most 100 of each. */
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

/** Revokes every grant of a principal that has left. A grant has no effect without a membership. */
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
