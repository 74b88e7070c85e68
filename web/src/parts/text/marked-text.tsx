import { Fragment } from "react";
import { visibleText } from "./visible-text.ts";

/** Text of others with parts of it marked. `marks`: begins and ends of the parts, in order. */
export function MarkedText({ text, marks }: { text: string; marks: readonly (readonly number[])[] }) {
  return (
    <>
      {marks.map(([start = 0, end = 0], index) => (
        <Fragment key={start}>
          {visibleText(text.slice(marks[index - 1]?.[1] ?? 0, start))}
          <mark>{visibleText(text.slice(start, end))}</mark>
        </Fragment>
      ))}
      {visibleText(text.slice(marks.at(-1)?.[1] ?? 0))}
    </>
  );
}
