/** Personal workspaces in the sidebar: the user's own one, and one entry for all others. Pure. */
import type { Folder } from "../../../api/folders.ts";
import { ancestorsOf } from "../../library/tree.ts";

export interface SplitFolders {
  /** Folders that are not part of the personal workspaces. */
  shared: Folder[];
  /** The folder that contains the workspaces. */
  root: Folder | undefined;
  /** Skills in the user's workspace. */
  ownCount: number;
  /** Skills in the workspaces of others that the user may read. */
  othersCount: number;
  /** Whether the user may see the workspace of another member. */
  hasOthers: boolean;
}

/** @param ownId id of the folder of the user's workspace */
export function splitFolders(folders: Folder[], ownId: string | null | undefined): SplitFolders {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const isRoot = ({ managed, parentId }: Folder) =>
    managed && !(parentId !== null && byId.get(parentId)?.managed);
  const root = folders.find(isRoot);
  const split: SplitFolders = { shared: [], root, ownCount: 0, othersCount: 0, hasOthers: false };
  for (const folder of folders) {
    const around = root ? ancestorsOf(byId, folder.id) : [];
    if (!around.some(({ id }) => id === root?.id)) split.shared.push(folder);
    else if (around.some(({ id }) => id === ownId)) split.ownCount += folder.skillCount;
    else {
      split.othersCount += folder.skillCount;
      split.hasOthers ||= folder.id !== root?.id;
    }
  }
  return split;
}
