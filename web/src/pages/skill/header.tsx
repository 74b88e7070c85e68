import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ban, Globe, Link2, Lock, Pencil, ShieldAlert, TriangleAlert } from "lucide-react";
import { spreadText } from "../../../../contract/text/reach-text.ts";
import { identityQuery } from "../../api/account/session.ts";
import { publicOrganizationQuery } from "../../api/public-organization.ts";
import { reachQuery } from "../../api/skills/reach.ts";
import { type Skill } from "../../api/skills/skills.ts";
import { Initials } from "../../parts/avatar.tsx";
import { CiRun } from "../../parts/ci/ci-run.tsx";
import { FollowButton } from "../../parts/following/follow-button.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { useIsOtherVersion, useRights, useShownVersion, useSkillAddress } from "./context.ts";
import { FindingsBadge } from "./findings/badge.tsx";
import { MoreMenu, ShareButton } from "./header-actions.tsx";
import { VersionMenu } from "./version-menu.tsx";

/** Name, version, visibility and description of the skill, above all its tabs. */
export function Header({ skill }: { skill: Skill }) {
  const { canUpdate } = useRights();
  const { data: identity } = useQuery(identityQuery);
  return (
    <header className="page-head">
      <div className="stack">
        <div className="row wrap">
          <Logo skill={skill} />
          <h1 className="clip">
            <span className="dim">{skill.tenantSlug}/</span>
            {skill.slug}
          </h1>
          <VersionMenu skill={skill} />
          <VisibilityBadge skill={skill} />
          {skill.type === "rule" && <span className="badge">rule</span>}
          <Findings skill={skill} />
          {skill.takedown && (
            <span className="badge danger">
              <ShieldAlert size={12} /> blocked
            </span>
          )}
        </div>
        {visibleText(skill.name) !== skill.slug && (
          <p className="sub display-name">{visibleText(skill.name)}</p>
        )}
        <p className="sub about">{visibleText(skill.description)}</p>
        {skill.origin && <OriginLine origin={skill.origin} />}
        <RunLine skill={skill} />
        <SpreadLine skill={skill} />
        {skill.deprecated !== undefined && (
          <p className="note warn">
            <TriangleAlert className="icon" aria-hidden="true" />
            <span>This skill is deprecated: {visibleText(skill.deprecated)}</span>
          </p>
        )}
        {skill.withheld && (
          <p className="note warn">
            <Ban className="icon" aria-hidden="true" />
            <span>No version of this skill can be installed.</span>
          </p>
        )}
        {skill.takedown && (
          <p className="note danger">
            <ShieldAlert className="icon" aria-hidden="true" />
            <span>
              An administrator blocked this skill for everyone outside the organization:{" "}
              {visibleText(skill.takedown.reason)}
            </span>
          </p>
        )}
      </div>
      <div className="row">
        {identity && <FollowButton target={{ kind: "skill", targetId: skill.id, name: skill.slug }} />}
        <ShareButton skill={skill} />
        {canUpdate && (
          <Button
            component="a"
            variant="default"
            href={`/${skill.tenantSlug}/${skill.slug}/edit`}
            leftSection={<Pencil size={16} />}
          >
            Edit
          </Button>
        )}
        <MoreMenu skill={skill} />
      </div>
    </header>
  );
}

/** The organization's picture next to a skill that anyone finds. */
function Logo({ skill: { tenantSlug, visibility, restricted, takedown } }: { skill: Skill }) {
  const isPublic = visibility === "public" && !restricted && !takedown;
  const { data } = useQuery({ ...publicOrganizationQuery(tenantSlug), enabled: isPublic });
  return isPublic ? (
    <Initials name={data?.name ?? tenantSlug} src={data?.avatarUrl} isOrganization isLarge />
  ) : null;
}

/** Findings about the shown version, for members. */
function Findings({ skill }: { skill: Skill }) {
  const isOther = useIsOtherVersion(skill);
  const shown = useShownVersion(skill);
  const counts = isOther ? shown?.findings : skill.findings;
  if (!counts) return null;
  const semver = isOther && shown ? shown.semver : skill.currentSemver;
  return <FindingsBadge semver={semver} counts={counts} isShownWithout />;
}

/** The CI run that published the shown version. */
function RunLine({ skill }: { skill: Skill }) {
  const shown = useShownVersion(skill);
  if (!shown?.origin) return null;
  return (
    <p className="meta wrap">
      {shown.semver} was published by <CiRun origin={shown.origin} />
    </p>
  );
}

/** How far the current version has spread, for those who may read installs. */
function SpreadLine({ skill }: { skill: Skill }) {
  const { ref } = useSkillAddress();
  const { canReadAnalytics } = useRights();
  const { data } = useQuery({
    ...reachQuery(ref, skill.currentSemver),
    enabled: canReadAnalytics && !skill.withheld,
  });
  const spread = data && spreadText(data);
  return spread === undefined ? null : (
    <p className="meta">
      {skill.currentSemver} is on {spread}.
    </p>
  );
}

function OriginLine({ origin: { skill, semver, copiedAt } }: { origin: NonNullable<Skill["origin"]> }) {
  const address: string = `/${skill.tenantSlug}/${skill.slug}`;
  return (
    <p className="meta">
      Copied from{" "}
      <Link to={address} search={{ version: semver }}>
        {skill.tenantSlug}/{skill.slug} {semver}
      </Link>{" "}
      <Time value={copiedAt} />
    </p>
  );
}

function VisibilityBadge({ skill }: { skill: Skill }) {
  if (skill.restricted) {
    return (
      <span className="badge">
        <Lock size={12} /> restricted
      </span>
    );
  }
  const Icon = { public: Globe, unlisted: Link2, private: Lock }[skill.visibility];
  return (
    <span className="badge">
      <Icon size={12} /> {skill.visibility}
    </span>
  );
}
