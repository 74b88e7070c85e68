import "./people.css";
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { may } from "../../api/account/session.ts";
import {
  deleteTeam,
  teamMembersQuery,
  teamQuery,
  teamsQuery,
  type Team,
} from "../../api/organization/people.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { OrganizationPage, type Organization } from "../../parts/page/organization-page.tsx";
import { AddMembers } from "./team/add-members.tsx";
import { TeamFolders } from "./team/team-folders.tsx";
import { TeamForm } from "./team/team-form.tsx";
import { TeamMembers } from "./team/team-members.tsx";

export const Route = createFileRoute("/$org/-/people/teams/$team")({ component: TeamPage });

function TeamPage() {
  const { org, team: id } = Route.useParams();
  const team = useQuery(teamQuery(org, id));
  const params = { org };
  return (
    <OrganizationPage
      org={org}
      title={team.data?.name ?? "Team"}
      crumbs={[
        { label: "People and roles", link: { to: "/$org/-/people", params } },
        { label: "Teams", link: { to: "/$org/-/people/teams", params } },
      ]}
      permission={["member", "read"]}
      subject={team}
    >
      {(organization) => team.data && <TeamView org={org} organization={organization} team={team.data} />}
    </OrganizationPage>
  );
}

interface Props {
  org: string;
  organization: Organization;
  team: Team;
}

function TeamView({ org, organization, team }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const members = useInfiniteQuery(teamMembersQuery(org, team.id, ""));
  const canUpdate = may(organization.permissions, "team", "update");
  const count = team.members;
  return (
    <div className="page people">
      <div className="page-head">
        <div>
          <h1>{team.name}</h1>
          {team.description !== "" && <p className="sub">{team.description}</p>}
        </div>
        {may(organization.permissions, "team", "delete") && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete team
          </Button>
        )}
      </div>
      {canUpdate && <TeamForm key={team.updatedAt} org={org} organization={organization} team={team} />}
      {canUpdate && <AddMembers org={org} team={team} />}
      <TeamFolders org={org} team={team.id} />
      <TeamMembers org={org} team={team} members={members} canRemove={canUpdate} />
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${team.name}`}
          action="Delete team"
          isDangerous
          run={async () => {
            await deleteTeam(org, team.id);
            await client.invalidateQueries({ queryKey: teamsQuery(org).queryKey });
            await navigate({ to: "/$org/-/people/teams", params: { org } });
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            {countText(count, "member loses", "members lose")} its roles and its folder grants. They stay in
            the organization. This can&apos;t be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
