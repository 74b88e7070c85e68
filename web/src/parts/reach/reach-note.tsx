import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useState } from "react";
import { reachSentence } from "../../../../contract/text/reach-text.ts";
import { reachInstallsQuery, reachQuery, unplanned, type PlannedReach } from "../../api/skills/reach.ts";
import type { Skill } from "../../api/skills/skills.ts";
import { visibleText } from "../text/visible-text.ts";

interface Props {
  skillRef: string;
  semver: string;
  can: Skill["can"];
  /** For a change after which others get the version, such as a revert to it. */
  plan?: PlannedReach;
}

/** A sentence about who gets a version, with the members for those who may read installs. */
export function ReachNote({ skillRef, semver, can = [], plan }: Props) {
  const mayCount = can.some((act) => act === "update" || act === "review" || act === "analytics");
  const reach = useQuery({ ...reachQuery(skillRef, semver), enabled: mayCount && !plan });
  const planned = useQuery({ ...(plan ?? unplanned), enabled: mayCount && plan !== undefined });
  const { data, isLoading } = plan ? planned : reach;
  // The place of the sentence, which is mostly one line, so that what is below stays where it is.
  if (isLoading)
    return (
      <p className="meta" aria-hidden="true">
        {"\u00A0"}
      </p>
    );
  if (!data) return null;
  return (
    <div className="stack">
      <p className="meta row" role="status">
        <Users size={14} aria-hidden="true" />
        <span>{reachSentence(data)}</span>
      </p>
      {can.includes("analytics") && data.all.machines > 0 && <Members skillRef={skillRef} semver={semver} />}
    </div>
  );
}

function Members({ skillRef, semver }: { skillRef: string; semver: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({ ...reachInstallsQuery(skillRef, semver), enabled: isOpen });
  return (
    <details className="meta" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Members who have the skill</summary>
      <ul aria-label="Members who have the skill">
        {data?.map((install) => (
          <li key={install.id}>
            {visibleText(install.user.username)}: {install.semver} for {install.platform},{" "}
            {install.pin === undefined ? "without a pin" : `pin ${visibleText(install.pin)}`}
          </li>
        ))}
      </ul>
    </details>
  );
}
