import { diffWordsWithSpace } from "diff";
import { memo } from "react";
import type { Piece } from "../code/highlight.ts";
import { visibleText } from "../text/visible-text.ts";
import type { Line } from "./rows.ts";

/** Characters of a line that are shown, and up to which its words are compared. */
const limits = { shown: 5000, compared: 2500 };
const compareMs = 20;

type Highlight = (text: string) => Piece[] | undefined;

/** The text of a line. The words that differ from its pair are marked; others are highlighted. */
export const Words = memo(function Words({ line, highlight }: { line: Line; highlight: Highlight }) {
  const { text, pair, kind } = line;
  if (text.length > limits.shown) return `${visibleText(text.slice(0, limits.shown))}…`;
  const parts = pair === undefined ? undefined : kind === "add" ? compare(pair, text) : compare(text, pair);
  if (!parts) {
    const pieces = highlight(text);
    if (!pieces) return visibleText(text);
    return pieces.map((piece, index) => (
      // The pieces of a line never change their order.
      // oxlint-disable-next-line react/no-array-index-key
      <span key={index} className={piece.className}>
        {visibleText(piece.text)}
      </span>
    ));
  }
  const own = parts.filter((part) => (kind === "add" ? !part.removed : !part.added));
  return own.map((part, index) => {
    const value = visibleText(part.value);
    // oxlint-disable-next-line react/no-array-index-key
    if (part.added) return <ins key={index}>{value}</ins>;
    // oxlint-disable-next-line react/no-array-index-key
    return part.removed ? <del key={index}>{value}</del> : value;
  });
});

function compare(old: string, now: string) {
  if (old.length + now.length > limits.compared) return undefined;
  return diffWordsWithSpace(old, now, { timeout: compareMs });
}
