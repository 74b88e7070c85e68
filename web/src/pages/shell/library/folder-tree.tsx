import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import type { Pin } from "../../../parts/page/sidebar-state.ts";
import type { Row } from "../../library/tree.ts";
import { Count } from "./count.tsx";
import { FolderIcon } from "./folder-icon.tsx";
import { PinButton } from "./pin-button.tsx";

const indent = 14;
const maxIndentLevel = 6;

interface Props {
  rows: Row[];
  counts: ReadonlyMap<string, number>;
  /** Id of the folder whose page is open. */
  current: string | undefined;
  /** Address of the library. */
  library: string;
  onToggle: (id: string, isOpen: boolean) => void;
  isPinned: (pin: Pin) => boolean;
  onPin: (pin: Pin) => void;
}

/** The open part of the folders. The whole tree is one Tab stop; the arrow keys move in it, open and close. */
export function FolderTree(props: Props) {
  const { rows, current, onToggle } = props;
  const [focused, setFocused] = useState<string>();
  const has = (id: string | undefined) => rows.some(({ key }) => key === id);
  const stop = [focused, current].find((id) => id !== undefined && has(id)) ?? rows[0]?.key;
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')];
    const at = items.findIndex((item) => item === document.activeElement);
    const row = rows[at];
    if (!row) return;
    const go = (index: number) => items[Math.max(0, Math.min(items.length - 1, index))]?.focus();
    const parent = () => rows.slice(0, at).findLastIndex(({ level }) => level < row.level);
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(items.length - 1),
      ArrowRight: () => {
        if (row.hasChildren && !row.isOpen) onToggle(row.key, true);
        else if (row.isOpen) go(at + 1);
      },
      ArrowLeft: () => {
        if (row.isOpen) onToggle(row.key, false);
        else if (row.level > 1) go(parent());
      },
    };
    const run = keys[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  return (
    <div role="tree" aria-label="Folders" onKeyDown={onKeyDown}>
      {rows.map((row) => (
        <FolderRow key={row.key} row={row} isStop={row.key === stop} onFocus={setFocused} {...props} />
      ))}
    </div>
  );
}

interface RowProps extends Props {
  row: Row;
  isStop: boolean;
  onFocus: (id: string) => void;
}

function FolderRow({ row, isStop, onFocus, counts, library, onToggle, isPinned, onPin }: RowProps) {
  const { item, key, level, position, siblings, hasChildren, isOpen } = row;
  if (item.kind !== "folder") return null;
  const { folder } = item;
  const pin: Pin = { kind: "folder", id: folder.id };
  const toggle = (event: React.MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onToggle(key, !isOpen);
  };
  return (
    <div className="pinnable" role="none">
      <Link
        to={[library, folder.path].join("/")}
        activeOptions={{ exact: true, includeSearch: false }}
        role="treeitem"
        aria-level={level}
        aria-posinset={position}
        aria-setsize={siblings}
        aria-expanded={hasChildren ? isOpen : undefined}
        tabIndex={isStop ? 0 : -1}
        style={{ paddingLeft: (Math.min(level, maxIndentLevel) - 1) * indent }}
        title={folder.name}
        onFocus={() => onFocus(key)}
      >
        <span className="chevron" aria-hidden="true" onClick={hasChildren ? toggle : undefined}>
          {hasChildren && <ChevronRight size={14} data-open={isOpen} />}
        </span>
        <FolderIcon folder={folder} />
        <span className="clip grow">{folder.name}</span>
        <Count value={counts.get(folder.id)} />
      </Link>
      <PinButton name={folder.name} isPinned={isPinned(pin)} onClick={() => onPin(pin)} isOutOfOrder />
    </div>
  );
}
