import { memo } from "react";
import type { CatalogItem } from "../../api/catalog.ts";
import { Time } from "../../parts/time.tsx";

export const rowHeight = 58;

interface Props {
  item: CatalogItem;
  index: number;
  /** Distance from the top of the list in pixels. */
  top: number;
  isChosen: boolean;
  onChoose: (index: number) => void;
}

/** One skill of the catalog. Memoized: moving the choice draws two rows, not thirty. */
export const Row = memo(function Row({ item, index, top, isChosen, onChoose }: Props) {
  return (
    <div
      id={`row-${index}`}
      className="item"
      role="option"
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={-1}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onChoose(index)}
    >
      <div className="clip">
        <div className="name clip">
          <span className="owner">{item.tenantSlug}/</span>
          <b>{item.slug}</b> <span className="mono dim">{item.currentSemver}</span>
          {item.type === "rule" && <span className="badge">rule</span>}
        </div>
        <p className="clip sub">{item.description}</p>
      </div>
      <div className="figure">
        {item.downloads.toLocaleString("en")}
        <div className="meta">downloads</div>
      </div>
      <Time value={item.updatedAt} className="figure meta" />
    </div>
  );
});
