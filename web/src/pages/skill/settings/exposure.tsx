import { TriangleAlert, Users } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { Effect, Exposure } from "../../../api/skills/skill-settings.ts";

const audiences: Record<Exposure["before"]["visibility"], string> = {
  public: "everyone on the internet, who also finds it in the catalog",
  unlisted: "everyone who has the link",
  organization: "the members of the organization",
  restricted: "people and teams with a grant for its restricted folder",
};

/** Who can read a skill before and after a change. */
export function ExposureNote({ effect: { exposure, readers } }: { effect: Effect }) {
  const { before, after, widened, versions = 0 } = exposure;
  if (before.visibility === after.visibility && !widened) {
    return (
      <p className="note">
        <Users className="icon" aria-hidden="true" />
        <span>
          Who can read the skill stays the same: {audiences[after.visibility]}.
          {readers && ` ${membersText(readers)}`}
        </span>
      </p>
    );
  }
  const Icon = widened ? TriangleAlert : Users;
  return (
    <p className={widened ? "note warn" : "note"} role="status">
      <Icon className="icon" aria-hidden="true" />
      <span>
        Before: {audiences[before.visibility]}. After: {audiences[after.visibility]}.
        {readers && ` ${membersText(readers)}`}
        {widened &&
          versions > 0 &&
          ` With the current version, ${countText(versions, "other version becomes", "other versions become")} readable.`}
        {widened && " Copies that someone makes stay with them."}
      </span>
    </p>
  );
}

/** Number of members who can read it, before and after where that differs. */
function membersText({ before, after, gain, lose }: NonNullable<Effect["readers"]>): string {
  const people = (count: number) => countText(count, "member");
  if (gain === 0 && lose === 0) return `${people(after)} can read it before and after.`;
  const changes = [
    ...(gain > 0 ? [`${gain.toLocaleString("en")} gain access`] : []),
    ...(lose > 0 ? [`${lose.toLocaleString("en")} lose it`] : []),
  ];
  return `${people(before)} can read it before, ${after.toLocaleString("en")} after: ${changes.join(", ")}.`;
}
