/** Sources of downloads, with their colors in every chart. */
import type { Schemas } from "../../api/client.ts";

/** Figures that a skill and an organization have in common. */
export type Analytics = Omit<Schemas["SkillAnalytics"], "versions">;
export type Day = Analytics["daily"][number];

export const sources = [
  { name: "cli", label: "CLI", color: "var(--accent-fill)" },
  { name: "web", label: "Web", color: "var(--ok)" },
  { name: "api", label: "API", color: "var(--violet)" },
] as const satisfies { name: keyof Day; label: string; color: string }[];

export const totalOf = (day: Day): number => sources.reduce((sum, { name }) => sum + day[name], 0);
