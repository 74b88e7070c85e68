/** Texts that several sync commands share. */
import { plainLine } from "../../terminal/table.ts";

/** Rows with a value, as `Label:  value`. */
export function labelled(rows: readonly (readonly [string, string | undefined])[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows.flatMap(([label, value]) =>
    value === undefined || value === "" ? [] : [`${`${label}:`.padEnd(width)}${value}`],
  );
}

/** A time of the service to the minute, in UTC. */
export function minuteOf(time: string): string {
  return plainLine(time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2 UTC"));
}
