/** Names for folders that the service makes by itself: nobody is there to choose another one. */
import type { FolderDoc } from "../../storage/folders.ts";
import type { PlaceDoc } from "../../storage/places.ts";
import { limits } from "../../contract/limits.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { placeOf } from "./create.ts";
import { slugOfFolder } from "./slug.ts";
import type { FolderTree } from "./tree.ts";

const mostNumbers = 1000;
/** Characters that a number may take, its space included. */
const numberRoom = 5;

export interface FreeName {
  name: string;
  slug: string;
  /** Set when the place was not held before: to be given back if the folder does not come to be. */
  taken: PlaceDoc | undefined;
}

/**
 * Takes the place of a folder in its parent under the wanted name, or under that with the lowest free number from 2 on.
 * A place that the folder holds already counts as free, so that a stopped change goes on with the same name.
 */
export async function takeFreeName(
  app: App,
  tree: FolderTree,
  folder: Pick<FolderDoc, "_id" | "tenantId" | "parentId">,
  wanted: string,
): Promise<FreeName> {
  for (let number = 1; number <= mostNumbers; number++) {
    const name = number === 1 ? wanted : numbered(wanted, number);
    const slug = slugOfFolder(name);
    const sibling = tree.child(folder.parentId, slug);
    if (sibling && sibling._id !== folder._id) continue;
    const place = placeOf(app, { ...folder, slug });
    const holding = await app.storage.places.take(place);
    if (holding === "taken") return { name, slug, taken: place };
    if (holding.ownerId === folder._id) return { name, slug, taken: undefined };
  }
  throw new ServiceError("already_exists", `No free name like "${wanted}" was found: choose another.`, {
    kind: "folder",
    ref: wanted,
  });
}

/** Whether a folder's name is a wanted one, with a number or without. */
export function isNameLike(name: string, wanted: string): boolean {
  const number = /^ ([2-9]|[1-9]\d+)$/.exec(name.slice(name.lastIndexOf(" ")))?.[1];
  return name === wanted || (number !== undefined && name === numbered(wanted, Number(number)));
}

/** A name with a number, so short that the number is in the slug too. */
function numbered(name: string, number: number): string {
  return `${name.slice(0, limits.folderSlug - numberRoom).trim()} ${number}`;
}
