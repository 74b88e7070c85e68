import { useRef, useState, type DragEvent } from "react";
import { isMovable, itemOf, type Item, type Row, type Tree } from "../tree.ts";

/** An item that is being dragged, and the folder that it would be put into. */
export interface DragState {
  key?: string;
  item?: Item;
  /** Key of the folder's row; an empty string is the root, undefined nowhere. */
  target?: string;
}

/** Dragging rows onto folders. A folder that refuses the item is never a target. */
export function useDrag(tree: Tree, rows: Row[], onMove: (item: Item, target: string | null) => void) {
  const [drag, setDrag] = useState<DragState>({});
  const current = useRef<DragState>({});
  const change = (next: DragState) => {
    const { key, target } = current.current;
    current.current = next;
    if (key !== next.key || target !== next.target) setDrag(next);
  };
  /** The folder that a row stands for: itself, or the one that contains a skill. */
  const folderAt = (key: string): string => {
    const item = itemOf(rows.find((row) => row.key === key));
    return item === undefined ? "" : item.kind === "folder" ? item.folder.id : (item.skill.folderId ?? "");
  };
  const handlers = {
    dragStart(event: DragEvent, key: string) {
      const item = itemOf(rows.find((row) => row.key === key));
      if (!item) return;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", key);
      change({ key, item });
    },
    dragOver(event: DragEvent, key: string) {
      const { key: dragged, item } = current.current;
      if (!item) return;
      event.stopPropagation();
      const target = folderAt(key);
      const isAllowed = isMovable(tree, item, target === "" ? null : target);
      if (isAllowed) event.preventDefault();
      change({ key: dragged, item, target: isAllowed ? target : undefined });
    },
    drop(event: DragEvent, _key: string) {
      event.preventDefault();
      const { item, target } = current.current;
      change({});
      if (item && target !== undefined) onMove(item, target === "" ? null : target);
    },
    dragEnd: () => change({}),
  };
  return { drag, handlers };
}
