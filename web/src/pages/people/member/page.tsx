import "../people.css";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, Link } from "@tanstack/react-router";
import { identityQuery, may } from "../../../api/account/session.ts";
import { memberQuery, teamsQuery, type Member } from "../../../api/organization/people.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { OrganizationPage, type Organization } from "../../../parts/page/organization-page.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { MemberMenu } from "../member-menu.tsx";
import { MemberActivity } from "./activity.tsx";
import { MemberInstalls } from "./installs.tsx";
import { MemberReach } from "./reach.tsx";
import { MemberTokens } from "./tokens.tsx";

export const Route = createFileRoute("/$org/-/people/members/$member")({ component: MemberPage });

function MemberPage() {
  const { org, member: id } = Route.useParams();
  const member = useQuery(memberQuery(org, id));
  return (
    <OrganizationPage
      org={org}
      title={member.data ? member.data.name || member.data.username : "Member"}
      crumbs={[{ label: "People and roles", link: { to: "/$org/-/people", params: { org } } }]}
      permission={["member", "read"]}
      subject={member}
    >
      {(organization) =>
        member.data && <MemberView key={id} organization={organization} member={member.data} />
      }
    </OrganizationPage>
  );
}

interface Props {
  organization: Organization;
  member: Member;
}

/** One member: who they are, what they have, what they may do and why, and what they did. */
function MemberView({ organization, member }: Props) {
  const { slug: org, permissions } = organization;
  return (
    <div className="page people member-page">
      <Header organization={organization} member={member} />
      <div className="member-columns">
        <MemberTeams org={org} member={member} />
        {may(permissions, "apiToken", "manage") && <MemberTokens org={org} member={member} />}
      </div>
      <MemberReach org={org} member={member} />
      <div className="member-columns">
        {may(permissions, "analytics", "read") && <MemberInstalls org={org} member={member} />}
        {may(permissions, "auditLog", "read") && <MemberActivity org={org} member={member} />}
      </div>
    </div>
  );
}

function Header({ organization, member }: Props) {
  const { slug: org } = organization;
  const { userId, username, name, email, roleName, joinedAt, lastSeenAt, provisioned } = member;
  const { data: identity } = useQuery(identityQuery);
  return (
    <div className="person">
      <Initials name={name || username} isLarge />
      <div className="grow">
        <h1>{name || username}</h1>
        <p className="sub">
          {username}
          {email !== undefined && <> · {email}</>}
        </p>
        <p className="row wrap meta">
          <span className="badge">{roleName}</span>
          {provisioned === true && (
            <span className="badge" title="Managed by your identity provider">
              SCIM
            </span>
          )}
          <span>
            joined <Time value={joinedAt} />
          </span>
          {lastSeenAt !== undefined && (
            <span>
              {lastSeenAt === null ? (
                "never seen"
              ) : (
                <>
                  last seen <Time value={lastSeenAt} isDay />
                </>
              )}
            </span>
          )}
        </p>
      </div>
      <MemberMenu org={org} organization={organization} member={member} isSelf={identity?.id === userId} />
    </div>
  );
}

function MemberTeams({ org, member }: { org: string; member: Member }) {
  const { data: teams } = useQuery(teamsQuery(org));
  const own = (teams ?? []).filter(({ id }) => member.teamIds.includes(id));
  return (
    <section className="stack gap-3" aria-label="Roles and teams">
      <h2>Roles and teams</h2>
      <ul className="panel plain">
        <li className="row">
          <span className="grow">{member.roleName}</span>
          <span className="meta">own role</span>
        </li>
        {own.map(({ id, name, roleNames }) => (
          <li key={id} className="row">
            <Initials name={name} />
            <Link className="grow clip" to="/$org/-/people/teams/$team" params={{ org, team: id }}>
              {name}
            </Link>
            <span className="meta">
              {roleNames.length > 0 ? `gives ${roleNames.join(", ")}` : "gives no role"}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
