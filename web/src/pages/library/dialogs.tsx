import { useQueryClient } from "@tanstack/react-query";
import { type Folder, folderAccessQuery } from "../../api/folders.ts";
import { DeleteFolderDialog, NewFolderDialog, RenameFolderDialog } from "./folder-dialogs.tsx";
import { MoveDialog } from "./move/move-dialog.tsx";
import type { FolderAct } from "./panel/folder-panel.tsx";
import type { Item, Tree } from "./tree.ts";

/** The dialog that is open, and what it is about. */
export interface Asked {
  act: FolderAct;
  item?: Item;
  /** Where the item was dropped. */
  target?: string | null;
}

interface Props {
  org: string;
  tree: Tree;
  asked: Asked | undefined;
  onMove: (item: Item, target: string | null) => void;
  onSaved: (folder: Folder | undefined) => void;
  onClose: () => void;
}

export function Dialogs({ org, tree, asked, onMove, onSaved, onClose }: Props) {
  const client = useQueryClient();
  if (!asked) return null;
  const { act, item, target } = asked;
  const folder = item?.kind === "folder" ? item.folder : undefined;
  const shared = { org, onSaved, onClose };
  if (act === "create") return <NewFolderDialog {...shared} parent={folder} />;
  if (act === "move" && item)
    return <MoveDialog tree={tree} item={item} target={target} onMove={onMove} onClose={onClose} />;
  if (!folder) return null;
  if (act === "rename") return <RenameFolderDialog {...shared} folder={folder} />;
  const showParent = (deleted: Folder) => {
    client.removeQueries({ queryKey: folderAccessQuery(deleted.id).queryKey });
    onSaved(deleted.parentId === null ? undefined : tree.folders.get(deleted.parentId));
  };
  return <DeleteFolderDialog {...shared} folder={folder} onSaved={showParent} />;
}
