import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memberInstallsQuery, type Member } from "../../../api/organization/people.ts";
import { ListSection } from "../../../parts/lists/list-section.tsx";
import { Time } from "../../../parts/time.tsx";

/** Skills that the member has installed, as far as the user reads their analytics. */
export function MemberInstalls({ org, member }: { org: string; member: Member }) {
  const found = useInfiniteQuery(memberInstallsQuery(org, member.userId));
  return (
    <ListSection
      title="Installs"
      found={found}
      rows={3}
      rowHeight={44}
      more="Show more installs"
      empty="No install is known. Installs with svc are reported while the member is signed in."
    >
      {(installs) => (
        <ul className="panel plain">
          {installs.map(({ id, skill, platform, scope, semver, updateAvailable, updatedAt }) => (
            <li key={id} className="row">
              <span className="grow clip">
                <Link to="/$org/$slug" params={{ org, slug: skill.slug }}>
                  {skill.slug}
                </Link>{" "}
                <span className="meta">
                  {platform}
                  {scope === "project" && ", a project"}
                </span>
              </span>
              {updateAvailable && <span className="badge warn">outdated</span>}
              <span className="mono">{semver}</span>
              <Time value={updatedAt} className="meta nowrap" />
            </li>
          ))}
        </ul>
      )}
    </ListSection>
  );
}
