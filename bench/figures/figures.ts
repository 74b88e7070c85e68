/** Figures and their targets. */
import { isSmallest } from "./options.ts";

export interface Row {
  name: string;
  value: number;
  unit: string;
  target: string;
  ok: boolean;
  note: string;
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);

export function row(
  name: string,
  value: number,
  unit: string,
  bound: { most?: number; least?: number },
  note = "",
): Row {
  const ok =
    (bound.most === undefined || value <= bound.most) && (bound.least === undefined || value >= bound.least);
  const target =
    bound.most !== undefined ? `<= ${bound.most}` : bound.least !== undefined ? `>= ${bound.least}` : "";
  return { name, value, unit, target, ok, note };
}

/** Prints the rows. A missed target sets the exit code, except at the smallest size, where each needs a value only. */
export function reportRows(rows: readonly Row[]): void {
  if (isSmallest) {
    const missing = rows.filter(({ value }) => Number.isNaN(value)).map(({ name }) => name);
    if (missing.length > 0) throw new Error(`These have no value: ${missing.join("; ")}.`);
    return console.log(`${rows.length} figures, which are not judged`);
  }
  printRows(rows);
  if (rows.some(({ ok }) => !ok)) process.exitCode = 1;
}

function printRows(rows: readonly Row[]): void {
  const cells = rows.map(({ name, value, unit, target, ok, note }) => [
    name,
    `${value.toFixed(2)} ${unit}`,
    target,
    target === "" ? "" : ok ? "ok" : "MISSED",
    note,
  ]);
  const header = ["scenario", "value", "target", "verdict", "note"];
  const widths = header.map((title, index) =>
    Math.max(title.length, ...cells.map((cell) => cell[index]!.length)),
  );
  for (const line of [header, ...cells]) {
    console.log(
      line
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join("  ")
        .trimEnd(),
    );
  }
}

/** Milliseconds that some work takes. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
