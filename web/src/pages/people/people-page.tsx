import "./people.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { invitationsQuery, rolesQuery, teamsQuery } from "../../api/organization/people.ts";
import { may } from "../../api/session.ts";
import { OrganizationPage, type Organization } from "../../parts/organization-page.tsx";
import { TabNav } from "../../parts/tab-nav.tsx";

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
  const teams = useQuery(teamsQuery(org));
  const roles = useQuery(rolesQuery(org));
  const invitations = useQuery({ ...invitationsQuery(org), enabled: canInvite });
  const params = { org };
  const exact = { exact: true, includeSearch: false };
  return (
    <TabNav label="People and roles">
      <Link to="/$org/-/people" params={params} activeOptions={exact}>
        Members
      </Link>
      <Link to="/$org/-/people/teams" params={params}>
        Teams <Count of={teams.data} />
      </Link>
      <Link to="/$org/-/people/roles" params={params}>
        Roles <Count of={roles.data} />
      </Link>
      {canInvite && (
        <Link to="/$org/-/people/invitations" params={params}>
          Invitations <Count of={invitations.data} />
        </Link>
      )}
      <Link to="/$org/-/people/check" params={params}>
        Check access
      </Link>
    </TabNav>
  );
}

const Count = ({ of }: { of: unknown[] | undefined }) =>
  of ? <span className="counter">{of.length}</span> : null;
