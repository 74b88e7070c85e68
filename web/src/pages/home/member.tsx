import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Identity } from "../../api/account/session.ts";
import { attentionQuery, latestSkillsQuery } from "../../api/home.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { Time } from "../../parts/text/time.tsx";
import { AttentionList } from "./attention.tsx";
import { Changes } from "./changes.tsx";
import { NoOrganization } from "./no-organization.tsx";
import { Onboarding } from "./onboarding.tsx";

/** Organizations whose latest versions are shown; further ones have pages of their own. */
const shownOrganizations = 5;
const shown = 10;

/** Home of a signed-in user: what needs them, and what changed. */
export function MemberHome({ identity }: { identity: Identity }) {
  const attention = useQuery(attentionQuery);
  if (identity.memberships.length === 0) return <NoOrganization identity={identity} />;
  return (
    <>
      <h1>Home</h1>
      <Onboarding identity={identity}>
        <Loaded found={attention} rows={2} rowHeight={44}>
          {({ items }) => <AttentionList items={items} />}
        </Loaded>
        {!attention.isPending && <Changes fallback={<LatestVersions identity={identity} />} />}
      </Onboarding>
    </>
  );
}

function LatestVersions({ identity }: { identity: Identity }) {
  const memberships = identity.memberships.slice(0, shownOrganizations);
  const found = useQueries({ queries: memberships.map(({ tenantId }) => latestSkillsQuery(tenantId)) });
  const skills = found
    .flatMap(({ data }, index) =>
      (data ?? []).map((skill) => ({ ...skill, org: memberships[index]?.slug ?? "" })),
    )
    .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    .slice(0, shown);
  if (found.some(({ isPending }) => isPending)) return <SkeletonRows rows={5} height={44} />;
  if (skills.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="latest-heading">
      <header>
        <h2 id="latest-heading">Latest versions</h2>
      </header>
      <ul className="lines">
        {skills.map((skill) => {
          const address: string = `/${skill.org}/${skill.slug}`;
          return (
            <li key={skill.id}>
              <Link to={address} className="name clip grow">
                <span className="owner">{skill.org}/</span>
                <b>{skill.slug}</b>
              </Link>
              <span className="mono dim">{skill.currentSemver}</span>
              <Time value={skill.updatedAt} className="meta when" />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
