/** Names for folders that the service creates automatically, without a caller who could choose another name. */
import { limits } from "../../../contract/limits.ts";
import type { FolderDoc } from "../../../storage/folders/folders.ts";
import type { PathReservationDoc } from "../../../storage/skills/path-reservations.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { reservationFor } from "./reservations.ts";
import { slugOfFolder } from "./slug.ts";
import type { FolderTree } from "./tree.ts";

const maxNumbers = 1000;
/** Maximum length of a number with its space. */
const numberRoom = 5;

export interface FreeName {
  name: string;
  slug: string;
  /** Set if it is new: to be released if the folder is not created. */
  reservation: PathReservationDoc | undefined;
}

/**
 * Reserves the wanted name of a folder in its parent, or the name with the lowest free number from 2 on. A reservation
 * of the folder itself counts as free, so that an interrupted change continues with the same name.
 */
export async function reserveFreeName(
  app: App,
  tree: FolderTree,
  folder: Pick<FolderDoc, "_id" | "tenantId" | "parentId">,
  wanted: string,
): Promise<FreeName> {
  for (let number = 1; number <= maxNumbers; number++) {
    const name = number === 1 ? wanted : numbered(wanted, number);
    const slug = slugOfFolder(name);
    const sibling = tree.child(folder.parentId, slug);
    if (sibling && sibling._id !== folder._id) continue;
    const reservation = reservationFor(app, { ...folder, slug });
    const owner = await app.storage.pathReservations.reserve(reservation);
    if (owner === "reserved") return { name, slug, reservation };
    if (owner.ownerId === folder._id) return { name, slug, reservation: undefined };
  }
  throw new ServiceError("already_exists", `No free name like "${wanted}" was found: choose another.`, {
    kind: "folder",
    ref: wanted,
  });
}

/** Whether a folder has the wanted name, with or without a number. */
export function isNameLike(name: string, wanted: string): boolean {
  const number = /^ ([2-9]|[1-9]\d+)$/.exec(name.slice(name.lastIndexOf(" ")))?.[1];
  return name === wanted || (number !== undefined && name === numbered(wanted, Number(number)));
}

/** A name with a number, shortened so that the slug contains the number too. */
function numbered(name: string, number: number): string {
  return `${name.slice(0, limits.folderSlug - numberRoom).trim()} ${number}`;
}
