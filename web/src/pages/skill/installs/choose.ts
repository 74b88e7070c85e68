/** The installs that a reader chooses to see, and their order. Pure. */
import type { SkillInstall } from "../../../api/skills/skill-settings.ts";

export const orders = ["outdated", "member", "updated"] as const;
export type Order = (typeof orders)[number];

/** Part of the page's address. */
export interface InstallsSearch {
  member?: string;
  tool?: string;
  release?: string;
  outdated?: true;
  sort?: Order;
}

const textOf = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;

export const readInstallsSearch = (raw: Record<string, unknown>): InstallsSearch => ({
  member: textOf(raw["member"]),
  tool: textOf(raw["tool"]),
  release: textOf(raw["release"]),
  outdated: raw["outdated"] === true ? true : undefined,
  sort: orders.find((order) => order === raw["sort"]),
});

const compare: Record<Order, (a: SkillInstall, b: SkillInstall) => number> = {
  outdated: (a, b) => Number(b.updateAvailable) - Number(a.updateAvailable) || a.version - b.version,
  member: (a, b) => a.user.name.localeCompare(b.user.name),
  updated: (a, b) => b.updatedAt.localeCompare(a.updatedAt),
};

export function chooseInstalls(
  installs: readonly SkillInstall[],
  { member = "", tool, release, outdated, sort = "outdated" }: InstallsSearch,
): SkillInstall[] {
  const words = member.trim().toLowerCase();
  return installs
    .filter(
      ({ user, platform, semver, updateAvailable }) =>
        `${user.name} ${user.username}`.toLowerCase().includes(words) &&
        (tool === undefined || platform === tool) &&
        (release === undefined || semver === release) &&
        (!outdated || updateAvailable),
    )
    .toSorted(compare[sort]);
}
