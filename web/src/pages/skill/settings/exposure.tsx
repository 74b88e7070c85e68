import { TriangleAlert, Users } from "lucide-react";
import type { Exposure } from "../../../api/skill-settings.ts";

const audiences: Record<Exposure["before"]["visibility"], string> = {
  public: "everyone on the internet, who also finds it in the catalog",
  unlisted: "everyone who has the link",
  organization: "the members of the organization",
  restricted: "people and teams with a grant for its restricted folder",
};

/** Who can read a skill before and after a change. */
export function ExposureNote({ exposure }: { exposure: Exposure }) {
  const { before, after, widened, versions = 0 } = exposure;
  if (before.visibility === after.visibility && !widened) {
    return (
      <p className="note">
        <Users className="i" aria-hidden="true" />
        <span>Who can read the skill stays the same: {audiences[after.visibility]}.</span>
      </p>
    );
  }
  const Icon = widened ? TriangleAlert : Users;
  return (
    <p className={widened ? "note warn" : "note"} role="status">
      <Icon className="i" aria-hidden="true" />
      <span>
        Before: {audiences[before.visibility]}. After: {audiences[after.visibility]}.
        {widened && versions > 0 && ` With the current version, ${versions} other versions become readable.`}
        {widened && " Copies that someone makes stay with them."}
      </span>
    </p>
  );
}
