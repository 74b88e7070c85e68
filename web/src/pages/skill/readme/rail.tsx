import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { estimateTokens } from "../../../../../contract/text/estimate-tokens.ts";
import {
  fileQuery,
  latestVersionsQuery,
  versionQuery,
  type Manifest,
  type Skill,
} from "../../../api/skills/skills.ts";
import { FoundBy } from "../../../parts/found-by/found-by.tsx";
import { monthText } from "../../../parts/text/dates.ts";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useRights, useSkill, useSkillAddress } from "../context.ts";
import { Access } from "./access.tsx";
import { Downloads } from "./downloads.tsx";
import { InstallBox } from "./install-box.tsx";
import { OwnerTeam } from "./owner-team.tsx";
import { readFrontmatter } from "./read-frontmatter.ts";

/** Facts next to the text: how to install it, the version, downloads, who has access. */
export function Rail({ manifest }: { manifest: Manifest }) {
  const skill = useSkill();
  return (
    <aside className="rail" aria-label="About this skill">
      <InstallBox skill={skill} semver={manifest.semver} />
      <VersionFacts skill={skill} manifest={manifest} />
      <History skill={skill} />
      <Required skill={skill} />
      <Downloads />
      <FoundBySection />
      <Access skill={skill} />
      <OwnerTeam skill={skill} />
      {skill.tags.length > 0 && (
        <section>
          <h3>Tags</h3>
          <div className="row wrap">
            {skill.tags.map((tag) => (
              <a key={tag} className="tag" href={`/explore?tags=${encodeURIComponent(tag)}`}>
                {tag}
              </a>
            ))}
          </div>
        </section>
      )}
    </aside>
  );
}

/** For those who may edit it. */
function FoundBySection() {
  const { ref } = useSkillAddress();
  const { canUpdate } = useRights();
  if (!canUpdate) return null;
  return (
    <section aria-labelledby="found-by-heading">
      <h3 id="found-by-heading">Found by</h3>
      <FoundBy skillRef={ref} />
    </section>
  );
}

/** MCP servers without which the skill can't do its work. */
function Required({ skill: { requiredMcpServers = [] } }: { skill: Skill }) {
  if (requiredMcpServers.length === 0) return null;
  return (
    <section>
      <h3>Requires</h3>
      <ul className="stack">
        {requiredMcpServers.map(({ tenantSlug: org, slug: server }) => (
          <li key={server} className="row">
            <Plug size={14} className="dim" aria-hidden="true" />
            <Link className="mono clip" to="/$org/-/mcp/$server" params={{ org, server }}>
              {server}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function VersionFacts({ skill, manifest }: { skill: Skill; manifest: Manifest }) {
  const { ref } = useSkillAddress();
  const isCurrent = manifest.semver === skill.currentSemver;
  const { data: found } = useQuery({ ...versionQuery(ref, manifest.semver), enabled: !isCurrent });
  const version = isCurrent ? skill.currentVersionInfo : found;
  return (
    <section>
      <h3>This version</h3>
      <dl className="fact-list">
        <dt>Version</dt>
        <dd className="mono">
          {manifest.semver} <span className="dim">· number {manifest.version}</span>
        </dd>
        {version && (
          <>
            <dt>Published</dt>
            <dd>
              <Time value={version.createdAt} />
              {version.author && ` by ${version.author.username}`}
            </dd>
          </>
        )}
        <dt>Commit</dt>
        <dd className="mono" title={manifest.commit}>
          {manifest.commit.slice(0, 8)}
        </dd>
        <dt>Content hash</dt>
        <dd className="mono" title={manifest.hash}>
          sha256:{manifest.hash.slice(0, 8)}…
        </dd>
        <MainFileFacts skill={skill} manifest={manifest} />
      </dl>
    </section>
  );
}

/** How long the skill has been maintained, its last versions, and how often it was downloaded. */
function History({ skill }: { skill: Skill }) {
  const { org, slug, ref } = useSkillAddress();
  const { data: versions = [] } = useQuery(latestVersionsQuery(ref));
  return (
    <section>
      <div className="row between">
        <h3>Versions</h3>
        <Link className="meta" to="/$org/$slug/versions" params={{ org, slug }}>
          All versions
        </Link>
      </div>
      <ul className="stack versions">
        {versions.map((version) => (
          <li key={version.id} className="row between">
            <Link
              className="mono"
              to="/$org/$slug"
              params={{ org, slug }}
              search={{ version: version.semver }}
            >
              {version.semver}
            </Link>
            <span className="meta">
              <Time value={version.createdAt} />
            </span>
          </li>
        ))}
      </ul>
      <p className="meta">
        Maintained since <time dateTime={skill.createdAt}>{monthText(skill.createdAt)}</time>
        {skill.downloads !== undefined && ` · ${countText(skill.downloads, "download")}`}
      </p>
    </section>
  );
}

/**
 * The licence, and the estimated size of the skill in the context of an agent: its description always, its text when it
 * is used.
 */
function MainFileFacts({ skill, manifest }: { skill: Skill; manifest: Manifest }) {
  const { ref } = useSkillAddress();
  const main = manifest.files.find(({ path }) => path === "SKILL.md" || path === "RULE.md");
  const { data } = useQuery({
    ...fileQuery(ref, main?.path ?? "", manifest.semver),
    enabled: main !== undefined,
  });
  const license = data?.text === undefined ? undefined : licenseOf(data.text);
  const idle = estimateTokens(`${skill.slug} ${manifest.description}`);
  return (
    <>
      {license !== undefined && (
        <>
          <dt>License</dt>
          <dd className="clip">{visibleText(license)}</dd>
        </>
      )}
      <dt>Cost when idle</dt>
      <dd>about {countText(idle, "token")}</dd>
      {data?.isWhole && data.text !== undefined && (
        <>
          <dt>Cost when used</dt>
          <dd>about {countText(estimateTokens(data.text), "token")}</dd>
        </>
      )}
    </>
  );
}

const maxLicense = 100;

/** The license in the frontmatter, unless it is a long text. */
function licenseOf(source: string): string | undefined {
  const license = new Map(readFrontmatter(source).fields).get("license")?.trim() ?? "";
  return license === "" || license.length > maxLicense ? undefined : license;
}
