/** The part of a page's address that selects downloads. Without the page's parts: every page loads it. */

export const ranges = [7, 30, 90, 365] as const;
const defaultRange = 30;

/** Part of a page's address. */
export interface DownloadsSearch {
  days?: (typeof ranges)[number];
  as?: "table";
}

export const readDownloadsSearch = (raw: Record<string, unknown>): DownloadsSearch => ({
  days: ranges.find((days) => days === raw["days"]),
  as: raw["as"] === "table" ? "table" : undefined,
});

export const daysOf = ({ days = defaultRange }: DownloadsSearch): number => days;
