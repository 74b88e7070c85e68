import type { FolderAccessPayload, FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { App } from "../app.ts";
import type { FolderAccess } from "./access/access.ts";
import type { ListedFolder } from "./list.ts";

export function presentFolder({
  node,
  path,
  skillCount,
  can,
}: ListedFolder): FolderPayload & Required<Pick<FolderPayload, "can">> {
  return {
    id: node._id,
    tenantId: node.tenantId,
    parentId: node.parentId,
    name: node.name,
    slug: node.slug,
    path,
    restricted: node.restricted,
    managed: node.managed !== undefined,
    skillCount,
    can: [...can],
    createdAt: node.createdAt.toISOString(),
    updatedAt: node.updatedAt.toISOString(),
  };
}

/** Grants with the names of their principals. */
export async function presentFolderAccess(app: App, access: FolderAccess): Promise<FolderAccessPayload> {
  const idsOf = (type: "member" | "team") =>
    access.grants.filter((grant) => grant.type === type).map((grant) => grant.id);
  const [members, teams] = await Promise.all([
    app.storage.memberships.listByUserIds(access.folder.tenantId, idsOf("member")),
    app.storage.teams.listByIds(idsOf("team")),
  ]);
  const names = new Map([
    ...members.map(({ userId, username }) => [userId, username] as const),
    ...teams.map(({ _id, name }) => [_id, name] as const),
  ]);
  return {
    restricted: access.folder.restricted,
    grants: access.grants.map(({ type, id, level }) => {
      const name = names.get(id);
      return { principal: { type, id, name }, level };
    }),
    governingFolderId: access.governingFolderId,
    level: access.level,
    canManage: access.canManage,
    revision: access.folder.revision,
  };
}
