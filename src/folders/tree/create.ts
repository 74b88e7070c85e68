/** Creation of folders: one by name, or a path with its missing parents. */
import { limits } from "../../../contract/limits.ts";
import type { FolderDoc } from "../../../storage/folders/folders.ts";
import { actorId, type Actor } from "../../access/actor.ts";
import { isAllowedIn, membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { makeEvent } from "../../audit/events.ts";
import { ServiceError, forbidden, invalidRequest } from "../../errors.ts";
import { authorizeFolder, type FolderView } from "../load.ts";
import { readFolderPath, startInTree, startOfPath, type PathStart } from "./paths.ts";
import { beingDeleted, nameTaken, refuseDepth, refuseManagedRoot } from "./refusals.ts";
import { changeTreeReserving, reservationFor } from "./reservations.ts";
import { slugOfFolder } from "./slug.ts";
import type { FolderTree } from "./tree.ts";
import { loadTree } from "./trees.ts";

export interface CreatedFolders {
  /** The requested folder. */
  folderId: string;
  /** Paths of the created folders, parents first. */
  created: string[];
  alreadyExisted: boolean;
}

/** The missing part of a path, and the path that its creation would result in. Creates nothing. */
export function planFolderPath(view: FolderView, path: string): PathStart & { path: string } {
  const start = startOfPath(view, readFolderPath(path));
  if (start.names.length > 0) checkMayCreate(view, start);
  const around = start.parentId === null ? [] : [view.tree.path(start.parentId)];
  return { ...start, path: [...around, ...start.names.map(slugOfFolder)].join("/") || "/" };
}

/** Creates a folder by its path, with `parents` also its missing parents. Existing folders are unchanged. */
export async function createFolderPath(
  app: App,
  actor: Actor,
  tenantId: string,
  path: string,
  parents: boolean,
): Promise<CreatedFolders> {
  const names = readFolderPath(path);
  if (names.length === 0) throw invalidRequest("The path names no folder.", { kind: "folder" });
  let found: CreatedFolders | undefined;
  const rows = await createFolders(app, actor, tenantId, (view) => {
    const start = startOfPath(view, names);
    const { parentId, names: missing } = start;
    if (missing.length === 0 && parentId !== null) {
      found = { folderId: parentId, created: [], alreadyExisted: true };
      return undefined;
    }
    if (missing.length > 1 && !parents) {
      const first = names.slice(0, names.length - missing.length + 1).join("/");
      throw new ServiceError(
        "not_found",
        `No folder "${first}" was found: create it first, or ask for parents.`,
        { kind: "folder", ref: first },
      );
    }
    return start;
  });
  return found ?? presentCreated(app, tenantId, rows);
}

/** Creates a folder in another one, or at the root. Throws `already_exists`. */
export async function createFolderIn(
  app: App,
  actor: Actor,
  tenantId: string,
  parentId: string | null,
  name: string,
): Promise<CreatedFolders> {
  const rows = await createFolders(app, actor, tenantId, (view) => {
    if (parentId !== null) authorizeFolder(view, "see", parentId, parentId);
    if (view.tree.child(parentId, slugOfFolder(name))) throw nameTaken(name);
    return { parentId, names: [name] };
  });
  return presentCreated(app, tenantId, rows);
}

async function presentCreated(app: App, tenantId: string, rows: FolderDoc[]): Promise<CreatedFolders> {
  const tree = await loadTree(app, tenantId);
  return {
    folderId: rows.at(-1)!._id,
    created: rows.map((row) => tree.path(row._id) || row.slug),
    alreadyExisted: false,
  };
}

/** Creates the folders that `choose` names, each in the one before; undefined creates none. */
async function createFolders(
  app: App,
  actor: Actor,
  tenantId: string,
  choose: (view: FolderView) => PathStart | undefined,
): Promise<FolderDoc[]> {
  return changeTreeReserving(app, tenantId, async (tree, reserved) => {
    const view = { tree, actor };
    const chosen = choose(view);
    if (!chosen) return undefined;
    checkMayCreate(view, chosen);
    const rows = rowsOf(app, actor, tree, chosen);
    for (const row of rows) {
      const reservation = reservationFor(app, row);
      if ((await app.storage.pathReservations.reserve(reservation)) !== "reserved") throw nameTaken(row.name);
      reserved(reservation);
    }
    let path = chosen.parentId === null ? "" : tree.path(chosen.parentId);
    const events = rows.map((row) => {
      path = path === "" ? row.slug : `${path}/${row.slug}`;
      return makeEvent(app, actor, "folder.created", {
        tenantId,
        resourceType: "folder",
        resourceId: row._id,
        metadata: { name: row.name, path },
      });
    });
    return { rows, events };
  });
}

function rowsOf(app: App, actor: Actor, tree: FolderTree, chosen: PathStart): FolderDoc[] {
  const now = app.now();
  let { parentId } = chosen;
  return chosen.names.map((name) => {
    const row: FolderDoc = {
      _id: app.newId(),
      tenantId: tree.tenantId,
      parentId,
      slug: slugOfFolder(name),
      name,
      restricted: false,
      grants: [],
      revision: 0,
      createdBy: actorId(actor),
      createdAt: now,
      updatedAt: now,
    };
    parentId = row._id;
    return row;
  });
}

function checkMayCreate(view: FolderView, chosen: PathStart): void {
  const { tree, actor } = view;
  const { parentId } = chosen;
  if (parentId !== null) {
    refuseManagedRoot(tree, parentId);
    authorizeFolder(view, "folder:create", parentId, tree.path(parentId));
  } else if (!isAllowedIn(actor, "folder:create", tree.tenantId, null)) {
    const slug = membershipIn(actor, tree.tenantId)?.tenantSlug ?? "this organization";
    throw forbidden(`Your role or token does not allow folder:create at the root of "${slug}".`, {
      kind: "folder",
    });
  }
  checkTreeAllows(tree, chosen);
}

/** Checks that apply to every new folder. */
function checkTreeAllows(tree: FolderTree, { parentId, names }: PathStart): void {
  if (parentId !== null) {
    refuseManagedRoot(tree, parentId);
    if (tree.get(parentId)?.closing) throw beingDeleted(tree, parentId);
  }
  if (tree.size + names.length > limits.foldersPerOrganization) {
    const limit = limits.foldersPerOrganization;
    throw new ServiceError("limit_reached", `An organization may have ${limit} folders.`, { limit });
  }
  refuseDepth((parentId === null ? 0 : tree.ancestry(parentId).length) + names.length);
}

/** Throws the error that creating a path, or an item in its last folder, would throw. */
export function checkFolderPath(tree: FolderTree, path: string): void {
  const start = startInTree(tree, readFolderPath(path));
  if (start.names.length > 0) checkTreeAllows(tree, start);
  else if (start.parentId !== null) refuseManagedRoot(tree, start.parentId);
}
