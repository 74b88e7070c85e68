import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { useStable } from "../../parts/use-stable.ts";
import type { Selection } from "./bulk/use-selection.ts";
import type { DragState } from "./move/use-drag.ts";
import { Row, rowHeight, type RowActions } from "./row.tsx";
import type { Row as TreeRow, Tree } from "./tree.ts";

interface Props {
  tree: Tree;
  rows: TreeRow[];
  chosen: string | undefined;
  canMove: boolean;
  selection: Selection;
  drag: DragState;
  dragHandlers: Pick<RowActions, "dragStart" | "dragOver" | "drop" | "dragEnd">;
  onChoose: (row: TreeRow) => void;
  onOpen: (row: TreeRow) => void;
  onToggle: (key: string, isOpen: boolean) => void;
}

/** The open part of the tree, of which only the rows in view are drawn. */
export function Rows(props: Props) {
  const { tree, rows, chosen, canMove, selection, drag } = props;
  const list = useRef<HTMLDivElement>(null);
  const drawn = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const at = useMemo(() => rows.findIndex(({ key }) => key === chosen), [rows, chosen]);
  // Rows are drawn around the chosen one also after it was chosen elsewhere: by its address or a link.
  useEffect(() => {
    if (at >= 0) drawn.scrollToIndex(at, { align: "auto" });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps
  }, [chosen, at]);
  const actions = useStableActions(props);
  return (
    <div
      className="rows"
      ref={list}
      data-target={drag.target === ""}
      onDragOver={(event) => props.dragHandlers.dragOver(event, "")}
      onDrop={(event) => props.dragHandlers.drop(event, "")}
    >
      <div
        role="treegrid"
        aria-label="Library"
        aria-rowcount={rows.length + 1}
        aria-activedescendant={at >= 0 ? `row-${chosen}` : undefined}
        tabIndex={0}
        onKeyDown={(event) => onKey(event, props, at)}
      >
        <Head />
        <div role="rowgroup" style={{ height: drawn.getTotalSize(), position: "relative" }}>
          {drawn.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return row ? (
              <Row
                key={row.key}
                row={row}
                index={index}
                top={start}
                count={tree.counts.get(row.key)}
                isChosen={index === at}
                isSelected={
                  canMove && row.item.kind === "skill" ? selection.ids.has(row.item.skill.id) : undefined
                }
                isDragged={drag.key === row.key}
                isTarget={drag.target === row.key}
                isDraggable={canMove && isDraggable(row)}
                actions={actions}
              />
            ) : null;
          })}
        </div>
      </div>
    </div>
  );
}

const isDraggable = ({ item }: TreeRow) =>
  item.kind === "skill" || (item.kind === "folder" && !item.folder.managed);

/** Handlers that always refer to the current rows and never change, so that rows stay memoized. */
function useStableActions(props: Props): RowActions {
  const rowOf = (key: string) => props.rows.find((row) => row.key === key);
  const withRow = (key: string, run: (row: TreeRow) => void) => {
    const row = rowOf(key);
    if (row) run(row);
  };
  const { dragStart, dragOver, drop, dragEnd } = props.dragHandlers;
  return {
    select: useStable(props.selection.select),
    choose: useStable((key: string) => withRow(key, props.onChoose)),
    open: useStable((key: string) => withRow(key, props.onOpen)),
    toggle: useStable((key: string) => withRow(key, (row) => props.onToggle(row.key, !row.isOpen))),
    dragStart: useStable(dragStart),
    dragOver: useStable(dragOver),
    drop: useStable(drop),
    dragEnd: useStable(dragEnd),
  };
}

function onKey(event: KeyboardEvent, props: Props, at: number): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { rows, canMove, selection, onChoose, onOpen, onToggle } = props;
  const row = rows[at];
  const choose = (index: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (next) onChoose(next);
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => choose(at + 1),
    ArrowUp: () => choose(at - 1),
    Home: () => choose(0),
    End: () => choose(rows.length - 1),
    PageDown: () => choose(at + 15),
    PageUp: () => choose(at - 15),
    Enter: () => row && onOpen(row),
    " ": () => {
      if (row?.hasChildren) onToggle(row.key, !row.isOpen);
      else if (row && canMove) selection.select(row.key, event.shiftKey);
    },
    Escape: () => selection.keep([]),
    ArrowRight: () => {
      if (row?.hasChildren && !row.isOpen) onToggle(row.key, true);
      else if (row?.isOpen) choose(at + 1);
    },
    ArrowLeft: () => {
      if (row?.isOpen) onToggle(row.key, false);
      else if (row) choose(rows.slice(0, at).findLastIndex(({ level }) => level < row.level));
    },
  };
  const run = keys[event.key];
  if (!run) return;
  event.preventDefault();
  event.stopPropagation();
  run();
}

const Head = () => (
  <div role="row" className="tree-row tree-head" aria-rowindex={1}>
    <span role="columnheader">Name</span>
    <span role="columnheader" className="hidden-on-phones">
      Visibility
    </span>
    <span role="columnheader" className="right count-cell">
      Skills
    </span>
    <span role="columnheader" className="right hidden-on-phones">
      Version
    </span>
    <span role="columnheader" className="right hidden-on-phones">
      Changed
    </span>
  </div>
);
