import { Link } from "@tanstack/react-router";
import { Ban, Hourglass, ShieldAlert, TriangleAlert } from "lucide-react";
import type { Skill, Version } from "../../api/skills/skills.ts";
import { visibleText } from "../../parts/text/visible-text.ts";
import { useShownVersion, useSkillAddress } from "./context.ts";
import { ScanBadge } from "./scan/badge.tsx";

/** Reasons not to use the shown version: its state and the verdict of its scan. */
export function VersionState({ skill }: { skill: Skill }) {
  const shown = useShownVersion(skill);
  if (!shown) return null;
  return (
    <>
      <StateNote version={shown} />
      {shown.verdict && (
        <p className={`note ${shown.verdict === "malicious" ? "danger" : "warn"} tab-content`}>
          <ShieldAlert className="icon" aria-hidden="true" />
          <span>
            The scan of {shown.semver} found it <ScanBadge version={shown} />. Read what it found before you
            use this version.
          </span>
        </p>
      )}
    </>
  );
}

const notes = {
  held: { Icon: Hourglass, tone: "warn" },
  rejected: { Icon: Ban, tone: "danger" },
  yanked: { Icon: Ban, tone: "danger" },
  deprecated: { Icon: TriangleAlert, tone: "warn" },
};

function StateNote({ version }: { version: Version }) {
  if (version.state === "published") return null;
  const { Icon, tone } = notes[version.state];
  return (
    <p className={`note ${tone} tab-content`}>
      <Icon className="icon" aria-hidden="true" />
      <span>
        <Reason version={version} />
      </span>
    </p>
  );
}

function Reason({ version }: { version: Version }) {
  const { org, slug } = useSkillAddress();
  const { semver, state } = version;
  if (state === "held")
    return (
      <>
        {semver} is held: only those who may update or review it see it. It{" "}
        <Link to="/$org/-/reviews/$slug/$version" params={{ org, slug, version: semver }}>
          {version.held?.includes("review") ? "waits for a review" : "is held because of its scan"}
        </Link>
        .
      </>
    );
  if (state === "rejected") return `${semver} was rejected: ${visibleText(version.rejected ?? "")}`;
  if (state === "deprecated") return `${semver} is deprecated: ${visibleText(version.deprecated ?? "")}`;
  return version.yankReason === undefined
    ? `${semver} is yanked: install another version.`
    : `${semver} is yanked: ${visibleText(version.yankReason)}`;
}
