import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { countText, numberText } from "../../../../../contract/text/count-text.ts";
import type { Schemas } from "../../../api/client.ts";
import type { NextVersion } from "../../../api/skills/publishing.ts";
import { installSummaryQuery } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";

interface Props {
  refText: string;
  skill: Skill;
  next: NextVersion;
}

/** How many installs get the next version by their pins, for those who may read the installs. */
export function Reach({ refText, skill, next }: Props) {
  const canRead = skill.can?.includes("analytics") === true;
  const { data } = useQuery({ ...installSummaryQuery(refText), enabled: canRead });
  if (!data) return null;
  return (
    <p className="meta row" role="status">
      <Users size={14} aria-hidden="true" />
      <span>
        {next === "prerelease" ? "Installs get a prerelease only by its exact version." : textOf(data, next)}
      </span>
    </p>
  );
}

function textOf(
  { installs, reach }: Schemas["InstallSummary"],
  next: Exclude<NextVersion, "prerelease">,
): string {
  if (installs === 0) return "No member has installed the skill yet.";
  const others = installs - reach[next] - reach.unknown;
  return (
    [
      `${numberText(reach[next])} of ${countText(installs, "install")} ${reach[next] === 1 ? "gets" : "get"} this at the next pull`,
      ...(others > 0 ? [countText(others, "is pinned below it", "are pinned below it")] : []),
      ...(reach.unknown > 0 ? [`${numberText(reach.unknown)} reported no pin`] : []),
    ].join("; ") + "."
  );
}
