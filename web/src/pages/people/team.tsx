import { Button, MultiSelect, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  addToTeam,
  changeTeam,
  deleteTeam,
  memberSearchQuery,
  rolesQuery,
  teamMembersQuery,
  teamQuery,
  teamsQuery,
  type Team,
} from "../../api/organization/people.ts";
import { query } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { OrganizationPage, type Organization } from "../../parts/organization-page.tsx";
import { roleOptionsBelowOwner } from "../../parts/people/roles-of.ts";
import { Problem } from "../../parts/problem.tsx";
import { TeamFolders } from "./team-folders.tsx";
import { TeamMembers } from "./team-members.tsx";
import "./people.css";

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
  const count = members.data?.pages.reduce((sum, page) => sum + page.data.length, 0) ?? 0;
  return (
    <div className="page people">
      <div className="page-head">
        <h1>{team.name}</h1>
        {may(organization.permissions, "team", "delete") && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete team
          </Button>
        )}
      </div>
      {canUpdate && <TeamForm key={team.updatedAt} org={org} organization={organization} team={team} />}
      {canUpdate && <AddMember org={org} team={team} />}
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
            {count}
            {members.hasNextPage ? " or more" : ""} {count === 1 ? "member loses" : "members lose"} its roles
            and its folder grants. They stay in the organization. This can&apos;t be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function TeamForm({ org, organization, team }: Props) {
  const client = useQueryClient();
  const roles = useQuery(rolesQuery(org));
  const [name, setName] = useState(team.name);
  const [given, setGiven] = useState(team.roles);
  const saving = useMutation({
    mutationFn: () => changeTeam(org, team.id, { name: name.trim(), roles: given }),
    onSuccess: async (saved) => {
      client.setQueryData(teamQuery(org, team.id).queryKey, saved);
      await client.invalidateQueries({ queryKey: teamsQuery(org).queryKey });
    },
  });
  const isChanged = name.trim() !== team.name || given.join() !== team.roles.join();
  return (
    <form
      className="form stack gap-3"
      aria-label="Name and roles"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <TextInput
        label="Name"
        required
        maxLength={50}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <MultiSelect
        label="Roles"
        description="Members of the team have these in addition to their own."
        data={roleOptionsBelowOwner(organization, roles.data)}
        value={given}
        onChange={setGiven}
      />
      <Problem error={saving.error} />
      <Button
        type="submit"
        w="fit-content"
        loading={saving.isPending}
        disabled={!isChanged || name.trim() === ""}
      >
        Save
      </Button>
    </form>
  );
}

function AddMember({ org, team }: { org: string; team: Team }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text.trim(), 200);
  const found = useQuery(memberSearchQuery(org, search));
  const adding = useMutation({
    mutationFn: (userId: string) => addToTeam(org, team.id, userId),
    onSuccess: async () => {
      setText("");
      await client.invalidateQueries({
        queryKey: query("/api/tenants/{tenant}/teams/{id}/members", { tenant: org, id: team.id }).queryKey,
      });
      await client.invalidateQueries({
        queryKey: query("/api/tenants/{tenant}/members", { tenant: org }).queryKey,
      });
    },
  });
  const free = (found.data ?? []).filter(({ teamIds }) => !teamIds.includes(team.id));
  return (
    <div className="form stack">
      <Select
        label="Add a member"
        placeholder="Name or user name"
        searchable
        value={null}
        searchValue={text}
        data={free.map(({ userId, username, name }) => ({ value: userId, label: `${username} (${name})` }))}
        filter={({ options }) => options}
        nothingFoundMessage="No other member has this name"
        disabled={adding.isPending}
        onSearchChange={setText}
        onChange={(userId) => userId && adding.mutate(userId)}
      />
      <Problem error={adding.error} />
    </div>
  );
}
