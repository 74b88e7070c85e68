import "./code.css";
import { useQuery } from "@tanstack/react-query";
import { memo, useEffect, useMemo, useRef } from "react";
import { visibleText } from "../text/visible-text.ts";
import type { Piece } from "./highlight.ts";
import { useWindowed } from "./windowed.ts";

/** In pixels, as in the style sheet. Links have the size that WCAG 2.5.8 requires. */
const lineHeights = { plain: 20, linked: 24 };
/** Characters of a line that are shown: a minified file has one line of a megabyte. */
const maxLine = 5000;

export interface LineRange {
  from: number;
  to: number;
}

interface Props {
  text: string;
  path: string;
  /** Lines that the address selects. */
  selected?: LineRange;
  /** Makes line numbers links; with the shift key, they extend the selection. */
  onSelect?: (range: LineRange) => void;
}

/** The lines of a text with numbers and highlighting; only those in view are drawn. */
export function CodeLines({ text, path, selected, onSelect }: Props) {
  const lines = useMemo(() => text.replace(/\n$/, "").split(/\r?\n/), [text]);
  const pieces = useHighlighted(text, path);
  const lineHeight = onSelect ? lineHeights.linked : lineHeights.plain;
  const { list, rows, margin } = useWindowed(lines.length, () => lineHeight);
  const first = selected?.from;
  useEffect(() => {
    if (first !== undefined) rows.scrollToIndex(Math.min(first, lines.length) - 1, { align: "center" });
  }, [rows, first, lines.length]);
  // Lines that are drawn already keep their handler, which has to extend the latest selection.
  const latest = useRef(selected);
  useEffect(() => {
    latest.current = selected;
  });
  const select = (line: number, isExtended: boolean) => {
    const anchor = isExtended ? (latest.current?.from ?? line) : line;
    onSelect?.({ from: Math.min(anchor, line), to: Math.max(anchor, line) });
  };
  return (
    <div
      className={onSelect ? "code-box linked" : "code-box"}
      role="region"
      aria-label={`Content of ${visibleText(path)}`}
      tabIndex={0}
    >
      <div ref={list} className="code-lines" style={{ height: lines.length * lineHeight }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <CodeLine
            key={index}
            number={index + 1}
            top={start - margin}
            text={lines[index] ?? ""}
            pieces={pieces?.[index]}
            isSelected={selected !== undefined && index + 1 >= selected.from && index + 1 <= selected.to}
            onSelect={onSelect ? select : undefined}
          />
        ))}
      </div>
    </div>
  );
}

function useHighlighted(text: string, path: string): Piece[][] | undefined {
  const { data } = useQuery({
    queryKey: ["highlighter"],
    staleTime: Infinity,
    queryFn: () => import("./highlight.ts"),
  });
  return useMemo(() => data?.highlightLines(text, data.languageOf(path)), [data, text, path]);
}

interface LineProps {
  number: number;
  top: number;
  text: string;
  pieces: Piece[] | undefined;
  isSelected: boolean;
  onSelect: ((line: number, isExtended: boolean) => void) | undefined;
}

const CodeLine = memo(
  function CodeLine({ number, top, text, pieces, isSelected, onSelect }: LineProps) {
    return (
      <div
        className={isSelected ? "code-line selected" : "code-line"}
        style={{ transform: `translateY(${top}px)` }}
      >
        {onSelect ? (
          <a
            className="number"
            href={`#L${number}`}
            aria-label={`Line ${number}`}
            onClick={(event) => {
              event.preventDefault();
              onSelect(number, event.shiftKey);
            }}
          >
            {number}
          </a>
        ) : (
          <span className="number">{number}</span>
        )}
        <code>{text.length > maxLine ? `${visibleText(text.slice(0, maxLine))}…` : shown(text, pieces)}</code>
      </div>
    );
  },
  (old, now) =>
    old.text === now.text &&
    old.pieces === now.pieces &&
    old.top === now.top &&
    old.isSelected === now.isSelected,
);

function shown(text: string, pieces: Piece[] | undefined) {
  if (!pieces) return visibleText(text);
  return pieces.map((piece, index) => (
    // The pieces of a line never change their order.
    // oxlint-disable-next-line react/no-array-index-key
    <span key={index} className={piece.className}>
      {visibleText(piece.text)}
    </span>
  ));
}
