import { Lock } from "lucide-react";
import { memo, type DragEvent } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { DeprecatedBadge } from "../../parts/deprecated-badge.tsx";
import { Time } from "../../parts/text/time.tsx";
import { RowIcon } from "./row-icon.tsx";
import { nameOf, type Row as TreeRow } from "./tree.ts";

export const rowHeight = 36;
const indent = 22;
/** Width of the button that opens a row, with the gap next to it. */
const buttonWidth = 21;
/** Characters of a version that fit its column in any case. Clipped cells make each frame of scrolling slower. */
const versionFits = 8;

/** Reactions of the list to its rows. The same object as long as the list is shown, so that rows stay memoized. */
export interface RowActions {
  choose: (key: string) => void;
  /** Selects a skill for a change of several; a range reaches from the one before. */
  select: (key: string, isRange: boolean) => void;
  toggle: (key: string) => void;
  open: (key: string) => void;
  dragStart: (event: DragEvent, key: string) => void;
  dragOver: (event: DragEvent, key: string) => void;
  drop: (event: DragEvent, key: string) => void;
  dragEnd: () => void;
}

interface Props {
  row: TreeRow;
  index: number;
  /** Distance from the top of the list in pixels. */
  top: number;
  count: number | undefined;
  isChosen: boolean;
  /** Undefined if it can't be selected. */
  isSelected: boolean | undefined;
  isDragged: boolean;
  isTarget: boolean;
  isDraggable: boolean;
  actions: RowActions;
}

/** A folder or skill of the tree. */
export const Row = memo(function Row(props: Props) {
  const { row, index, top, count, isChosen, isSelected, isDragged, isTarget, isDraggable, actions } = props;
  const { key, item, level, position, siblings, isOpen, hasChildren } = row;
  return (
    <div
      id={`row-${key}`}
      className="tree-row"
      role="row"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-expanded={hasChildren ? isOpen : undefined}
      data-dragged={isDragged || undefined}
      data-target={isTarget || undefined}
      draggable={isDraggable}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => {
        const isExtended = event.shiftKey || event.ctrlKey || event.metaKey;
        if (isExtended && isSelected !== undefined) actions.select(key, event.shiftKey);
        else actions.choose(key);
      }}
      onDoubleClick={() => actions.open(key)}
      onDragStart={(event) => actions.dragStart(event, key)}
      onDragOver={(event) => actions.dragOver(event, key)}
      onDrop={(event) => {
        event.stopPropagation();
        actions.drop(event, key);
      }}
      onDragEnd={actions.dragEnd}
    >
      <span
        role="gridcell"
        className="tree-name"
        style={{
          paddingLeft:
            (Math.min(level, 12) - 1) * indent + (hasChildren || isSelected !== undefined ? 0 : buttonWidth),
        }}
      >
        {hasChildren && (
          <button
            type="button"
            className="toggle"
            tabIndex={-1}
            aria-label={`${isOpen ? "Close" : "Open"} ${item.kind === "pending" ? "" : nameOf(item)}`}
            onClick={(event) => {
              event.stopPropagation();
              actions.toggle(key);
            }}
          >
            <RowIcon icon={isOpen ? "open" : "closed"} />
          </button>
        )}
        {isSelected !== undefined && (
          <input
            type="checkbox"
            className="select"
            tabIndex={-1}
            aria-label={`Select ${item.kind === "skill" ? item.skill.slug : ""}`}
            checked={isSelected}
            onClick={(event) => {
              event.stopPropagation();
              actions.select(key, event.shiftKey);
            }}
            onDoubleClick={(event) => event.stopPropagation()}
            onChange={() => undefined}
          />
        )}
        <Name item={item} />
      </span>
      <Facts item={item} count={count} />
    </div>
  );
});

function Name({ item }: Pick<TreeRow, "item">) {
  if (item.kind === "pending") return <span className="pending-row">Loading</span>;
  if (item.kind === "skill") {
    const { skill } = item;
    return (
      <>
        <RowIcon icon={skill.type === "rule" ? "rule" : skill.format === "package" ? "package" : "skill"} />
        <span className="clip">{skill.slug}</span>
        {skill.type === "rule" && <span className="badge">rule</span>}
        <DeprecatedBadge message={skill.deprecated} />
      </>
    );
  }
  const { folder } = item;
  return (
    <>
      <RowIcon icon={folder.restricted ? "restricted" : folder.managed ? "managed" : "folder"} />
      <span className="clip folder-name">{folder.name}</span>
      {folder.managed ? (
        <span className="badge">managed</span>
      ) : (
        folder.restricted && (
          <span className="badge warn">
            <Lock size={12} />
            restricted
          </span>
        )
      )}
    </>
  );
}

function Facts({ item, count }: Pick<TreeRow, "item"> & { count: number | undefined }) {
  if (item.kind !== "skill")
    return (
      <>
        <span role="gridcell" className="hidden-on-phones" aria-label="No visibility" />
        <span
          role="gridcell"
          className="dim right count-cell"
          aria-label={count === undefined ? "No count" : countText(count, "skill")}
        >
          {count}
        </span>
        <span role="gridcell" className="hidden-on-phones" aria-label="No version" />
        <span role="gridcell" className="hidden-on-phones" aria-label="No time" />
      </>
    );
  const { skill } = item;
  return (
    <>
      <span role="gridcell" className="meta hidden-on-phones">
        {skill.restricted ? "restricted" : skill.visibility}
      </span>
      <span role="gridcell" className="hidden-on-phones" aria-label="No count" />
      <Version semver={skill.currentSemver} />
      <span role="gridcell" className="right hidden-on-phones">
        <Time value={skill.updatedAt} className="meta" />
      </span>
    </>
  );
}

const Version = ({ semver }: { semver: string | null }) => (
  <span
    role="gridcell"
    className={`mono dim right${semver !== null && semver.length > versionFits ? " clip" : ""}`}
  >
    {semver}
  </span>
);
