import type { Version } from "../../../api/skills.ts";

export type TimelineRow = { kind: "month"; label: string } | { kind: "version"; version: Version };

const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

/** Versions, newest first, with a heading for each month. */
export function timelineRows(versions: Version[]): TimelineRow[] {
  let last = "";
  return versions.flatMap((version): TimelineRow[] => {
    const label = month.format(new Date(version.createdAt));
    const row = { kind: "version", version } as const;
    if (label === last) return [row];
    last = label;
    return [{ kind: "month", label }, row];
  });
}
