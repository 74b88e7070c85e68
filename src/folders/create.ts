/** New folders: one by name, or a path with what is missing around it. */
import type { FolderDoc } from "../../storage/folders.ts";
import type { PlaceDoc } from "../../storage/places.ts";
import { limits } from "../../contract/limits.ts";
import { actorId, type Actor } from "../access/actor.ts";
import { mayInPlace, membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { makeEvent } from "../audit/events.ts";
import { ServiceError, forbidden, invalidRequest, notFound } from "../errors.ts";
import { changeTree } from "./change.ts";
import { admitFolder, isVisible, loadTree, type FolderView } from "./load.ts";
import { folderName } from "./schema.ts";
import { slugOfFolder } from "./slug.ts";
import type { FolderTree } from "./tree.ts";

/** The names in a path; slashes around it count for nothing, and an empty path is the root. */
export function readFolderPath(path: string): string[] {
  const segments = path.replace(/^\/+|\/+$/g, "").split("/");
  if (segments.length === 1 && segments[0] === "") return [];
  if (segments.length > limits.folderDepth)
    throw new ServiceError("limit_reached", `Folders may be ${limits.folderDepth} deep.`, {
      limit: limits.folderDepth,
    });
  return segments.map((segment) => {
    const parsed = folderName.safeParse(segment);
    if (!parsed.success || segment === "." || segment === "..")
      throw invalidRequest(`"${segment.slice(0, 100)}" in the path is not a folder's name.`, {
        kind: "folder",
      });
    return parsed.data;
  });
}

/** The folder at a path, as far as the actor may see it; null is the root. Throws `not_found`. */
export function folderAtPath(view: FolderView, path: string): string | null {
  const names = readFolderPath(path);
  if (names.length === 0) return null;
  let folderId: string | null = null;
  for (const name of names) {
    const next = view.tree.child(folderId, slugOfFolder(name));
    if (!next || !isVisible(view, next._id)) throw notFound("folder", path);
    folderId = next._id;
  }
  return folderId;
}

export interface CreatedFolders {
  /** The folder that was asked for. */
  folderId: string;
  /** Paths that were made, from the outside in. */
  created: string[];
  alreadyExisted: boolean;
}

/** Makes a folder by its path. With `parents` the folders around it too; those that are there are left as they are. */
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
  const rows = await makeFolders(app, actor, tenantId, (view) => {
    const { tree } = view;
    let parentId: string | null = null;
    let depth = 0;
    for (; depth < names.length; depth++) {
      const next = tree.child(parentId, slugOfFolder(names[depth]!));
      if (!next) break;
      if (!isVisible(view, next._id)) throw taken(names[depth]!);
      parentId = next._id;
    }
    const missing = names.slice(depth);
    if (missing.length === 0 && parentId !== null) {
      found = { folderId: parentId, created: [], alreadyExisted: true };
      return undefined;
    }
    if (missing.length > 1 && !parents) {
      const first = names.slice(0, depth + 1).join("/");
      throw new ServiceError(
        "not_found",
        `No folder "${first}" was found: create it first, or ask for parents.`,
        {
          kind: "folder",
          ref: first,
        },
      );
    }
    return { parentId, names: missing };
  });
  if (found) return found;
  return createdOf(app, tenantId, rows);
}

/** Makes a folder in another one, or at the root. Throws `already_exists`. */
export async function createFolderIn(
  app: App,
  actor: Actor,
  tenantId: string,
  parentId: string | null,
  name: string,
): Promise<CreatedFolders> {
  const rows = await makeFolders(app, actor, tenantId, (view) => {
    if (parentId !== null) admitFolder(view, "see", parentId, parentId);
    if (view.tree.child(parentId, slugOfFolder(name))) throw taken(name);
    return { parentId, names: [name] };
  });
  return createdOf(app, tenantId, rows);
}

async function createdOf(app: App, tenantId: string, rows: FolderDoc[]): Promise<CreatedFolders> {
  const tree = await loadTree(app, tenantId);
  return {
    folderId: rows.at(-1)!._id,
    created: rows.map((row) => tree.path(row._id) || row.slug),
    alreadyExisted: false,
  };
}

type Chosen = { parentId: string | null; names: string[] } | undefined;

/** Takes the places first and gives back what the change did not use: a place without a folder is nobody's. */
async function makeFolders(
  app: App,
  actor: Actor,
  tenantId: string,
  choose: (view: FolderView) => Chosen,
): Promise<FolderDoc[]> {
  let held: PlaceDoc[] = [];
  const release = async () => {
    for (const place of held) await app.storage.places.release(place);
    held = [];
  };
  try {
    const rows = await changeTree(app, tenantId, async (tree) => {
      await release();
      const view = { tree, actor };
      const chosen = choose(view);
      if (!chosen) return undefined;
      checkMayCreate(view, chosen);
      const made = rowsOf(app, actor, tree, chosen);
      for (const row of made) {
        const place = placeOf(app, row);
        if ((await app.storage.places.take(place)) !== "taken") throw taken(row.name);
        held.push(place);
      }
      const around = chosen.parentId === null ? "" : `${tree.path(chosen.parentId)}/`;
      const events = made.map((row, at) =>
        makeEvent(app, actor, "folder.created", {
          tenantId,
          resourceType: "folder",
          resourceId: row._id,
          metadata: {
            name: row.name,
            path:
              around +
              made
                .slice(0, at + 1)
                .map((one) => one.slug)
                .join("/"),
          },
        }),
      );
      return { rows: made, events };
    });
    held = [];
    return rows;
  } catch (error) {
    await release();
    throw error;
  }
}

export function placeOf(
  app: App,
  folder: Pick<FolderDoc, "_id" | "tenantId" | "parentId" | "slug">,
): PlaceDoc {
  return {
    _id: app.newId(),
    tenantId: folder.tenantId,
    parentId: folder.parentId,
    slug: folder.slug,
    kind: "folder",
    ownerId: folder._id,
    createdAt: app.now(),
  };
}

function checkMayCreate(view: FolderView, { parentId, names }: NonNullable<Chosen>): void {
  const { tree, actor } = view;
  if (parentId !== null) {
    refuseManagedRoot(tree, parentId);
    admitFolder(view, "folder:create", parentId, tree.path(parentId));
    if (tree.get(parentId)?.closing) throw beingDeleted(tree, parentId);
  } else if (!mayInPlace(actor, "folder:create", tree.tenantId, null)) {
    const slug = membershipIn(actor, tree.tenantId)?.tenantSlug ?? "this organization";
    throw forbidden(`Your role or token does not allow folder:create at the root of "${slug}".`, {
      kind: "folder",
    });
  }
  if (tree.size + names.length > limits.foldersPerOrganization) {
    const limit = limits.foldersPerOrganization;
    throw new ServiceError("limit_reached", `An organization may have ${limit} folders.`, { limit });
  }
  const depth = (parentId === null ? 0 : tree.ancestry(parentId).length) + names.length;
  if (depth > limits.folderDepth) {
    const limit = limits.folderDepth;
    throw new ServiceError("limit_reached", `Folders may be ${limit} deep.`, { limit });
  }
}

/** The folder of all personal workspaces holds workspaces and nothing else. */
export function refuseManagedRoot(tree: FolderTree, folderId: string): void {
  if (tree.get(folderId)?.managed?.kind === "root")
    throw managedFolder(tree.path(folderId), "put things into a workspace in it instead");
}

export function managedFolder(path: string, way: string): ServiceError {
  return new ServiceError("managed_folder", `Folder "${path}" is managed for personal workspaces: ${way}.`, {
    kind: "folder",
    ref: path,
  });
}

export function beingDeleted(tree: FolderTree, folderId: string): ServiceError {
  const path = tree.path(folderId);
  return new ServiceError("conflict", `Folder "${path}" is being deleted.`, { kind: "folder", ref: path });
}

function rowsOf(app: App, actor: Actor, tree: FolderTree, chosen: NonNullable<Chosen>): FolderDoc[] {
  const now = app.now();
  const rows: FolderDoc[] = [];
  let { parentId } = chosen;
  for (const name of chosen.names) {
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
    rows.push(row);
    parentId = row._id;
  }
  return rows;
}

/** Says no more than that the name is taken: what holds it may be out of the caller's sight. */
export function taken(name: string): ServiceError {
  return new ServiceError("already_exists", `The name "${name}" is taken there: choose another.`, {
    kind: "folder",
    ref: name,
  });
}
