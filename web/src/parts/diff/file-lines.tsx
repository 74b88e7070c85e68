import "./diff.css";
import { countText } from "../../../../contract/text/count-text.ts";
import type { DiffFile } from "../../api/skills/versions.ts";
import { LineRow } from "./line-row.tsx";
import { digitsOf, fileRows } from "./rows.ts";

interface Props {
  file: DiffFile;
  /** Names of the left and the right text. */
  sides: readonly [left: string, right: string];
}

/** Rows that are drawn of one file; the page that compares versions has all. */
const maxRows = 60;

/** The changed lines of one file, both sides next to each other. */
export function FileLines({ file, sides }: Props) {
  const rows = fileRows(file, { isSplit: true, findings: [] });
  const more = rows.length - maxRows;
  return (
    <>
      <div
        className="diff"
        style={digitsOf([file])}
        role="region"
        tabIndex={0}
        aria-label={`Changes of ${file.path}: ${sides.join(", and ")}`}
      >
        {rows.slice(0, maxRows).map((row, index) =>
          row.kind === "note" ? (
            <p key="note" className="line remark">
              {row.text}
            </p>
          ) : row.kind === "file" || row.kind === "finding" || row.kind === "comment" ? null : (
            // Rows of one comparison never change their order.
            // oxlint-disable-next-line react/no-array-index-key
            <LineRow key={index} row={row} onExpand={undefined} />
          ),
        )}
      </div>
      {more > 0 && <p className="meta more-lines">And {countText(more, "more line")}.</p>}
    </>
  );
}
