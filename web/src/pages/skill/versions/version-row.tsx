import { Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Ban, CircleCheck, Hourglass, Signpost } from "lucide-react";
import type { Version } from "../../../api/skills/skills.ts";
import { CiRun } from "../../../parts/ci/ci-run.tsx";
import { DeprecatedBadge } from "../../../parts/deprecated-badge.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { FindingsBadge } from "../findings/badge.tsx";
import { ScanBadge } from "../scan/badge.tsx";
import { VersionActions } from "./version-actions.tsx";

interface Props {
  version: Version;
  isTicked: boolean;
  onTick: (semver: string) => void;
}

const sources: Record<NonNullable<Version["source"]>, string> = {
  web: "in the browser",
  cli: "with svc",
  api: "by the API",
  mcp: "by MCP",
  oidc: "from CI",
  import: "from the repository",
};

/** Channels of a version that its row names. */
const shownChannels = 3;

/** One version of the timeline. */
export function VersionRow({ version, isTicked, onTick }: Props) {
  const { org, slug } = useSkillAddress();
  const [subject = ""] = version.message.split("\n");
  return (
    <>
      <Checkbox
        size="sm"
        aria-label={`Compare ${version.semver}`}
        checked={isTicked}
        onChange={() => onTick(version.semver)}
      />
      <div className="clip">
        <div className="row">
          <Link
            className="mono semver"
            to="/$org/$slug"
            params={{ org, slug }}
            search={version.current ? {} : { version: version.semver }}
          >
            {version.semver}
          </Link>
          <Marks version={version} />
          <span className="clip" title={visibleText(version.message)}>
            {visibleText(subject)}
          </span>
        </div>
        <div className="meta clip">
          {version.author ? version.author.username : "a deleted account"} <Time value={version.createdAt} />
          {version.source && ` ${sources[version.source]}`} · commit{" "}
          <span className="mono">{(version.sourceCommit ?? version.commit).slice(0, 8)}</span>
          {version.origin && (
            <>
              {" "}
              · <CiRun origin={version.origin} />
            </>
          )}
          {version.deprecated !== undefined && ` · deprecated: ${visibleText(version.deprecated)}`}
          {version.yankReason !== undefined && ` · yanked: ${visibleText(version.yankReason)}`}
          {version.rejected !== undefined && ` · rejected: ${visibleText(version.rejected)}`}
          {version.held && (
            <>
              {" "}
              ·{" "}
              <Link to="/$org/-/reviews/$slug/$version" params={{ org, slug, version: version.semver }}>
                {version.held.includes("review") ? "waits for a review" : "held because of its scan"}
              </Link>
            </>
          )}
        </div>
      </div>
      <VersionActions version={version} />
    </>
  );
}

function Marks({ version }: { version: Version }) {
  const { findings } = version;
  return (
    <>
      {version.current && (
        <span className="badge ok">
          <CircleCheck size={12} /> current
        </span>
      )}
      {version.channels?.slice(0, shownChannels).map((name) => (
        <span key={name} className="badge accent">
          <Signpost size={12} /> {name}
        </span>
      ))}
      {version.channels !== undefined && version.channels.length > shownChannels && (
        <span className="badge accent">+{version.channels.length - shownChannels}</span>
      )}
      {version.prerelease && <span className="badge violet">prerelease</span>}
      <DeprecatedBadge message={version.deprecated} />
      {(version.state === "held" || version.state === "rejected") && (
        <span className={`badge ${version.state === "held" ? "warn" : "danger"}`}>
          <Hourglass size={12} /> {version.state}
        </span>
      )}
      {version.yanked && (
        <span className="badge danger">
          <Ban size={12} /> yanked
        </span>
      )}
      <ScanBadge version={version} />
      {findings && <FindingsBadge semver={version.semver} counts={findings} />}
    </>
  );
}
