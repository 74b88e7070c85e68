/** Who gets a version, in the results of dry runs. The service may be another release, so the form is checked. */
import type { SkillReachPayload } from "../contract/payloads/skills/reach.ts";
import { reachSentence } from "../contract/text/reach-text.ts";
import { type Shape, fits } from "./api/shapes.ts";
import { plainLine } from "./terminal/table.ts";

const counts = { members: "whole", machines: "whole", projects: "whole" } as const;
const shape: Shape = {
  semver: "text",
  isLatest: "flag",
  isExact: "flag",
  all: counts,
  installed: counts,
  spread: { machines: "whole", of: "whole" },
  pins: {
    latest: counts,
    channel: counts,
    range: counts,
    exact: counts,
    elsewhere: counts,
    outside: counts,
  },
};

/** The reach in a response; undefined if there is none, or if it has another form. */
export const readReach = (reach: SkillReachPayload | undefined): SkillReachPayload | undefined =>
  fits(reach, shape) ? reach : undefined;

/** Lines at the end of the text of a dry run. */
export function dryRunLines(
  reaches: readonly (SkillReachPayload | undefined)[],
  closing = "Nothing was changed.",
): string[] {
  const sentences = reaches.flatMap((reach) => (reach ? [plainLine(reachSentence(reach))] : []));
  return [...new Set(sentences), closing];
}
