/** The reach of a version as a sentence. Pure. */
import type { InstalledCounts, PinClass, SkillReachPayload } from "../payloads/skills/reach.ts";
import { countText } from "./count-text.ts";

/** A sentence about who has a version and who gets it, such as "12 machines of 5 members follow the latest version." */
export function reachSentence(reach: SkillReachPayload): string {
  const { semver, isLatest, isExact, all, installed, pins } = reach;
  if (all.machines === 0) return "No member has reported an install.";
  const count = (number: number, noun: string) => (isExact ? "" : "up to ") + countText(number, noun);
  const clause = ({ machines, members, projects }: InstalledCounts, one: string, many: string) => {
    if (machines === 0) return [];
    // Machines that have the skill in projects only are named as such.
    const places = projects === machines ? "project machine" : "machine";
    return [`${count(machines, places)} of ${count(members, "member")} ${machines === 1 ? one : many}`];
  };
  const pinned = (name: PinClass, one: string, many: string) => clause(pins[name], one, many);
  const clauses = [
    ...clause(installed, `has ${semver}`, `have ${semver}`),
    ...(isLatest ? pinned("latest", "follows the latest version", "follow the latest version") : []),
    ...pinned("channel", "follows a channel that points to it", "follow a channel that points to it"),
    ...pinned("range", "has a range that admits it", "have a range that admits it"),
    ...pinned("exact", "is pinned to it", "are pinned to it"),
  ];
  const rest = [
    ...pinned("elsewhere", "is pinned to another version", "are pinned to other versions"),
    ...pinned("outside", "has a range without it", "have a range without it"),
  ];
  if (clauses.length === 0) return `No reported install gets ${semver}: ${joined(rest, all, count)}.`;
  return `${capital([...clauses, ...rest].join("; "))}.`;
}

const joined = (
  rest: readonly string[],
  all: InstalledCounts,
  count: (number: number, noun: string) => string,
) => (rest.length > 0 ? rest.join("; ") : `${count(all.machines, "machine")} follow others`);

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** How far a version has spread, such as "9 of 12 machines that get it"; undefined if no machine gets it. */
export function spreadText({
  isExact,
  spread,
}: Pick<SkillReachPayload, "isExact" | "spread">): string | undefined {
  if (spread.of === 0) return undefined;
  const of = `${countText(spread.of, "machine")} that ${spread.of === 1 ? "gets" : "get"} it`;
  return isExact ? `${spread.machines} of ${of}` : `up to ${spread.machines} of up to ${of}`;
}
