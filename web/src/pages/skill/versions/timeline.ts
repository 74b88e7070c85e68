import type { Version } from "../../../api/skills/skills.ts";
import { monthText } from "../../../parts/text/dates.ts";

export type TimelineRow = { kind: "month"; label: string } | { kind: "version"; version: Version };

/** Versions, newest first, with a heading for each month. */
export function timelineRows(versions: Version[]): TimelineRow[] {
  let last = "";
  return versions.flatMap((version): TimelineRow[] => {
    const label = monthText(version.createdAt);
    const row = { kind: "version", version } as const;
    if (label === last) return [row];
    last = label;
    return [{ kind: "month", label }, row];
  });
}
