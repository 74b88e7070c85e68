import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { countText, numberText } from "../../../../../contract/text/count-text.ts";
import { estimateTokens } from "../../../../../contract/text/estimate-tokens.ts";
import { identityQuery } from "../../../api/account/session.ts";
import { installsQuery } from "../../../api/skills/skill-settings.ts";
import { fileQuery, manifestQuery, type Skill } from "../../../api/skills/skills.ts";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { readFields } from "./read-fields.ts";

interface Props {
  skill: Skill;
  skillRef: string;
}

/** Facts by which people decide. Facts that are not known are left out. */
export function Facts({ skill, skillRef }: Props) {
  const { data: manifest } = useQuery(manifestQuery(skillRef, skill.currentSemver));
  const main = manifest?.files.find(({ path }) => path === "SKILL.md" || path === "RULE.md");
  const { data: file } = useQuery({
    ...fileQuery(skillRef, main?.path ?? "", skill.currentSemver),
    enabled: main !== undefined,
  });
  const text = file?.isWhole ? file.text : undefined;
  const { license, tools } = readFields(text ?? "");
  const { currentVersionInfo: version, requiredMcpServers: servers = [] } = skill;
  return (
    <dl className="fact-list">
      <Users skill={skill} skillRef={skillRef} />
      <dt>Cost when idle</dt>
      <dd>about {countText(estimateTokens(`${skill.slug} ${skill.description}`), "token")}</dd>
      {text !== undefined && (
        <>
          <dt>Cost when used</dt>
          <dd>about {countText(estimateTokens(text), "token")}</dd>
        </>
      )}
      {license && (
        <>
          <dt>License</dt>
          <dd title={license}>{visibleText(license)}</dd>
        </>
      )}
      {tools && (
        <>
          <dt>Tools</dt>
          <dd title={tools}>{visibleText(tools)}</dd>
        </>
      )}
      {servers.length > 0 && (
        <>
          <dt>Requires</dt>
          <dd>{servers.map(({ slug }) => slug).join(", ")}</dd>
        </>
      )}
      <dt>Updated</dt>
      <dd>
        <Time value={skill.updatedAt} />
        {version?.author && ` by ${version.author.username}`}
      </dd>
    </dl>
  );
}

const shownUsers = 2;

/** Members who have it installed, for those who may read that. Only a skill's own organization reports installs. */
function Users({ skill, skillRef }: Props) {
  const { data: identity } = useQuery(identityQuery);
  const { data } = useInfiniteQuery({
    ...installsQuery(skillRef),
    enabled: skill.can?.includes("analytics") === true,
  });
  const page = data?.pages[0];
  if (!page) return null;
  const others = [...new Map(page.data.map(({ user }) => [user.id, user])).values()].filter(
    ({ id }) => id !== identity?.id,
  );
  if (others.length === 0) return null;
  const names = others.slice(0, shownUsers).map(({ name }) => visibleText(name));
  const rest = others.length - names.length;
  const more = page.nextCursor === null ? numberText(rest) : `over ${numberText(rest)}`;
  return (
    <>
      <dt>Installed by</dt>
      <dd>
        {names.join(", ")}
        {rest > 0 && ` and ${more} more`}
      </dd>
    </>
  );
}
