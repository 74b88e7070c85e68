import "./people.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { may } from "../../api/account/session.ts";
import { invitationsQuery, memberCountQuery, rolesQuery, teamsQuery } from "../../api/organization/people.ts";
import { OrganizationPage, type Organization } from "../../parts/page/organization-page.tsx";
import { TabNav } from "../../parts/page/tab-nav.tsx";

type Subject = Parameters<typeof OrganizationPage>[0]["subject"];
interface Props {
  org: string;
  title: string;
  subject?: Subject;
  renderActions?: (organization: Organization) => ReactNode;
  children: (organization: Organization) => ReactNode;
}

/** A tab of *People and roles*. */
export function PeoplePage({ org, title, subject, renderActions, children }: Props) {
  const isFirst = title === "Members";
  return (
    <OrganizationPage
      org={org}
      title={isFirst ? "People and roles" : title}
      heading="People and roles"
      crumbs={isFirst ? [] : [{ label: "People and roles", link: { to: "/$org/-/people", params: { org } } }]}
      permission={["member", "read"]}
      subject={subject}
      renderActions={renderActions}
    >
      {(organization) => (
        <div className="page people">
          <h1>People and roles</h1>
          <p className="sub">
            Roles define what a person may do anywhere in {organization.name}. Folder grants can only take
            away from that, never add.
          </p>
          <Tabs org={org} organization={organization} />
          {children(organization)}
        </div>
      )}
    </OrganizationPage>
  );
}

function Tabs({ org, organization }: { org: string; organization: Organization }) {
  const canInvite = may(organization.permissions, "member", "invite");
  const members = useInfiniteQuery(memberCountQuery(org));
  const teams = useQuery(teamsQuery(org));
  const roles = useQuery(rolesQuery(org));
  const invitations = useQuery({ ...invitationsQuery(org), enabled: canInvite });
  const params = { org };
  const exact = { exact: true, includeSearch: false };
  return (
    <TabNav label="People and roles">
      <Link to="/$org/-/people" params={params} activeOptions={exact}>
        Members <Count of={members.data} />
      </Link>
      <Link to="/$org/-/people/teams" params={params}>
        Teams <Count of={teams.data?.length} />
      </Link>
      <Link to="/$org/-/people/roles" params={params}>
        Roles <Count of={roles.data?.length} />
      </Link>
      {canInvite && (
        <Link to="/$org/-/people/invitations" params={params}>
          Invitations <Count of={invitations.data?.length} />
        </Link>
      )}
      <Link to="/$org/-/people/check" params={params}>
        Check access
      </Link>
    </TabNav>
  );
}

const Count = ({ of }: { of: number | undefined }) =>
  of === undefined ? null : <span className="counter">{of.toLocaleString("en")}</span>;
