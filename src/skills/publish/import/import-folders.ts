/** Folders for imported directories. */
import { limits } from "../../../../contract/limits.ts";
import type { SyncActor } from "../../../access/actor.ts";
import type { App } from "../../../app.ts";
import { ServiceError } from "../../../errors.ts";
import { checkFolderPath, createFolderPath } from "../../../folders/tree/create.ts";
import type { FolderTree } from "../../../folders/tree/tree.ts";
import { plainLine } from "./import-commit.ts";

const nameAttempts = 20;

/** Throws the error that creating the folders of a new skill would throw. */
export function checkImportedFolder(tree: FolderTree, segments: readonly string[]): void {
  const names = segments.slice(0, -1).map(folderNameOf);
  if (names.length > 0) checkFolderPath(tree, names.join("/"));
}

/**
 * The folder for a path of directories; creates missing ones. A folder whose name a skill has gets a number, since its
 * files must go somewhere.
 */
export async function ensureFolders(
  app: App,
  actor: SyncActor,
  tenantId: string,
  directories: readonly string[],
): Promise<string | null> {
  if (directories.length === 0) return null;
  // One call at a time per sync, since all of them write the same tree.
  const turn = (turns.get(actor) ?? Promise.resolve()).then(() =>
    createFolders(app, actor, tenantId, directories),
  );
  turns.set(
    actor,
    turn.catch(() => undefined),
  );
  return turn;
}

const turns = new WeakMap<SyncActor, Promise<unknown>>();

async function createFolders(
  app: App,
  actor: SyncActor,
  tenantId: string,
  directories: readonly string[],
): Promise<string | null> {
  const wanted = directories.map(folderNameOf);
  const names = [...wanted];
  for (let number = 2; ; number++) {
    try {
      return (await createFolderPath(app, actor, tenantId, names.join("/"), true)).folderId;
    } catch (error) {
      const isTaken = error instanceof ServiceError && error.code === "already_exists";
      const at = isTaken ? names.indexOf(String(error.details?.["ref"])) : -1;
      if (at < 0 || number > nameAttempts) throw error;
      names[at] = `${wanted[at]!.slice(0, limits.folderName - 4)} ${number}`;
    }
  }
}

/** Makes a folder name from a directory, which may have any name: without control characters and backslashes. */
function folderNameOf(directory: string): string {
  const name = plainLine(directory.replaceAll("\\", " "), limits.folderName);
  return name === "" || name === "." || name === ".." ? "folder" : name;
}
