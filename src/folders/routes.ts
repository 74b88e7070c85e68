import {
  ChangedFolderAccessPayload,
  ChangedFolderPayload,
  CreatedFolderPayload,
  FolderAccessPayload,
  FolderPayload,
} from "../../contract/payloads/organizations/folders.ts";
import type { App } from "../app.ts";
import { pageByPath } from "../http/request/cursor.ts";
import { Page, routesOf, type Route } from "../http/route.ts";
import { TenantParams } from "../orgs/schema.ts";
import { loadTenant } from "../orgs/service.ts";
import { readFolderAccess, updateFolderAccess } from "./access/access.ts";
import { effectiveRoutes } from "./access/effective-routes.ts";
import { presentFolderExposure } from "./access/exposure.ts";
import { describeFolder, listFolders } from "./list.ts";
import { loadFolder, loadFolderView } from "./load.ts";
import { presentFolder, presentFolderAccess } from "./present.ts";
import { CreateFolder, FolderParams, FoldersQuery, UpdateFolder, UpdateFolderAccess } from "./schema.ts";
import { createFolderIn, createFolderPath } from "./tree/create.ts";
import { deleteFolder } from "./tree/delete.ts";
import { countMovedReaders } from "./tree/moved-readers.ts";
import { updateFolder } from "./tree/update.ts";

const route = routesOf({ tag: "Folders", auth: "required" });

export function folderRoutes(app: App): Route[] {
  return [...treeRoutes(app), ...itemRoutes(app), ...accessRoutes(app), ...effectiveRoutes(app)];
}

function treeRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/folders",
      id: "listFolders",
      failures: ["limit_reached"],
      summary: "List the folders of an organization that you may see, by path",
      params: TenantParams,
      query: FoldersQuery,
      data: FolderPayload,
      page: true,
      async handle({ actor, params, query }) {
        const tenant = await loadTenant(app, actor, params.tenant, "member");
        const parentId = query.parent_id === "root" ? null : query.parent_id;
        const { folders, describe } = await listFolders(app, actor, tenant._id, parentId);
        const { items, nextCursor } = pageByPath(folders, ({ path }) => path, query);
        return new Page((await describe(items)).map(presentFolder), nextCursor);
      },
    }),
    route({
      method: "post",
      path: "/api/tenants/:tenant/folders",
      id: "createFolder",
      failures: ["already_exists", "limit_reached", "managed_folder"],
      summary: "Create a folder by its path, or by its name in another one",
      params: TenantParams,
      body: CreateFolder,
      status: 201,
      data: CreatedFolderPayload,
      async handle({ actor, params, body }) {
        const { _id: tenantId } = await loadTenant(app, actor, params.tenant, "member");
        const { folderId, ...made } =
          "path" in body
            ? await createFolderPath(app, actor, tenantId, body.path, body.parents ?? false)
            : await createFolderIn(app, actor, tenantId, body.parentId, body.name);
        const view = await loadFolderView(app, actor, tenantId);
        const folder = await describeFolder(app, view, folderId);
        return { path: folder.path, ...made, folder: presentFolder(folder) };
      },
      authorizeRepeat: ({ actor }, { folder }: CreatedFolderPayload) =>
        loadFolder(app, actor, folder.id, "see"),
    }),
  ];
}

function itemRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/folders/:folder",
      id: "getFolder",
      summary: "Read a folder",
      params: FolderParams,
      data: FolderPayload,
      async handle({ actor, params }) {
        const { view } = await loadFolder(app, actor, params.folder, "see");
        return presentFolder(await describeFolder(app, view, params.folder));
      },
    }),
    route({
      method: "patch",
      path: "/api/folders/:folder",
      id: "updateFolder",
      failures: ["already_exists", "conflict", "limit_reached", "managed_folder", "refused"],
      summary: "Rename a folder, or move it with everything in it",
      params: FolderParams,
      body: UpdateFolder,
      data: ChangedFolderPayload,
      async handle({ actor, params, body }) {
        const { folder, path, exposure } = await updateFolder(app, actor, params.folder, body);
        const view = await loadFolderView(app, actor, folder.tenantId);
        const { node, ...listed } = await describeFolder(app, view, folder._id);
        const changed = body.dryRun ? { ...listed, node: folder, path } : { ...listed, node };
        return {
          ...presentFolder(changed),
          exposure: await presentFolderExposure(app, exposure),
          readers:
            body.dryRun && body.parentId !== undefined
              ? await countMovedReaders(app, actor, {
                  tree: view.tree,
                  folderId: folder._id,
                  parentId: body.parentId,
                })
              : undefined,
        };
      },
    }),
    route({
      method: "delete",
      path: "/api/folders/:folder",
      id: "deleteFolder",
      failures: ["conflict", "folder_not_empty", "managed_folder"],
      summary: "Delete an empty folder",
      params: FolderParams,
      data: null,
      handle: ({ actor, params }) => deleteFolder(app, actor, params.folder),
    }),
  ];
}

function accessRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/folders/:folder/access",
      id: "getFolderAccess",
      summary: "Read a folder's restriction and grants",
      params: FolderParams,
      data: FolderAccessPayload,
      handle: async ({ actor, params }) =>
        presentFolderAccess(app, await readFolderAccess(app, actor, params.folder)),
    }),
    route({
      method: "put",
      path: "/api/folders/:folder/access",
      id: "setFolderAccess",
      failures: ["conflict", "limit_reached", "managed_folder"],
      summary: "Restrict a folder, or open it, and set who has access",
      params: FolderParams,
      body: UpdateFolderAccess,
      data: ChangedFolderAccessPayload,
      async handle({ actor, params, body }) {
        const { exposure, ...access } = await updateFolderAccess(app, actor, params.folder, body);
        return {
          ...(await presentFolderAccess(app, access)),
          exposure: await presentFolderExposure(app, exposure),
        };
      },
    }),
  ];
}
