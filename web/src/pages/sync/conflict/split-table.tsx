import type { SplitRow } from "./split-rows.ts";

interface Props {
  label: string;
  caption: string;
  /** Titles of the left and the right text. */
  sides: readonly [left: string, right: string];
  rows: readonly SplitRow[];
}

/** Two texts next to each other, with their changed lines marked. */
export function SplitTable({ label, caption, sides: [left, right], rows }: Props) {
  return (
    <div className="sync-diff" tabIndex={0} role="region" aria-label={label}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Line, left</th>
            <th scope="col">{left}</th>
            <th scope="col">Line, right</th>
            <th scope="col">{right}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <DiffRow key={`${row.oldLine} ${row.newLine}`} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DiffRow({ row: { kind, oldLine, newLine, old, now } }: { row: SplitRow }) {
  return (
    <tr>
      <td className="no">{oldLine > 0 && old !== undefined ? oldLine : ""}</td>
      <td className={kind === "changed" && old !== undefined ? "del" : undefined}>{old}</td>
      <td className="no">{newLine > 0 && now !== undefined ? newLine : ""}</td>
      <td className={kind === "changed" && now !== undefined ? "add" : undefined}>{now}</td>
    </tr>
  );
}
