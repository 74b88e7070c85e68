import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import { versionsQuery, type Skill, type Version } from "../../api/skills/skills.ts";
import { useIsOtherVersion, useSkillAddress } from "./context.ts";

/** States that the address selects another version than the current one, and how far that is behind. */
export function OldVersion({ skill }: { skill: Skill }) {
  const { org, slug, ref, version } = useSkillAddress();
  const isOther = useIsOtherVersion(skill) && !skill.withheld;
  const { data } = useInfiniteQuery({ ...versionsQuery(ref), enabled: isOther });
  if (!isOther || version === undefined) return null;
  const versions = data?.pages.flatMap((page) => page.data) ?? [];
  const shown = versions.find((one) => one.semver === version || String(one.version) === version);
  const compare: string = `/${org}/${slug}/compare/${shown?.semver ?? version}...${skill.currentSemver}`;
  return (
    <p className="note warn tab-content">
      <History className="icon" aria-hidden="true" />
      <span>
        {sentenceFor(version, shown, versions, skill)}{" "}
        <Link to="." search={(old) => ({ ...old, version: undefined })}>
          Show {skill.currentSemver}
        </Link>{" "}
        or <Link to={compare}>compare the two</Link>.
      </span>
    </p>
  );
}

function sentenceFor(version: string, shown: Version | undefined, versions: Version[], skill: Skill): string {
  if (!shown) return `This is version ${version}, not the current one.`;
  if (shown.prerelease)
    return `This is the prerelease ${shown.semver}. Installs resolve to ${skill.currentSemver}.`;
  if (shown.state !== "published" && shown.state !== "deprecated")
    return `Installs resolve to ${skill.currentSemver}.`;
  if (shown.version > skill.currentVersion)
    return `This version is newer than the current one, to which the skill was reverted.`;
  const behind = versions.filter(
    (one) => !one.prerelease && one.version > shown.version && one.version <= skill.currentVersion,
  ).length;
  return `This version is ${countText(behind, "version")} behind the current one.`;
}
