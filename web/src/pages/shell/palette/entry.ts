import type { LucideIcon } from "lucide-react";

/** One thing that the palette offers: a page. `marks`: parts of the description, as `MarkedText` takes them. */
export interface Entry {
  label: string;
  description?: string;
  marks?: readonly (readonly number[])[];
  icon: LucideIcon;
  href: string;
}

export interface Group {
  label: string;
  entries: Entry[];
}

/** First characters that narrow the palette to one kind. */
export const modes = { ">": "commands", "#": "tags", "@": "people", "/": "files" } as const;
export type Mode = (typeof modes)[keyof typeof modes] | "all";

/** The kind that a query asks for, and its text. */
export function readQuery(query: string): { mode: Mode; text: string } {
  const mode = modes[query.charAt(0) as keyof typeof modes] as Mode | undefined;
  return mode ? { mode, text: query.slice(1).trim() } : { mode: "all", text: query.trim() };
}

/** Entries whose label or description contains all words. */
export function matching(entries: Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ label, description = "" }) => {
    const all = `${label} ${description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
