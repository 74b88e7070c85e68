import { Button, Modal, MultiSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { createTeam, rolesQuery, teamsQuery, type Team } from "../../api/organization/people.ts";
import { may } from "../../api/session.ts";
import { Initials } from "../../parts/avatar.tsx";
import { DialogForm } from "../../parts/dialog-form.tsx";
import { fieldError } from "../../parts/form.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import type { Organization } from "../../parts/organization-page.tsx";
import { roleOptionsBelowOwner } from "../../parts/people/roles-of.ts";
import { Time } from "../../parts/time.tsx";
import { PeoplePage } from "./people-page.tsx";

export const Route = createFileRoute("/$org/-/people/teams/")({ component: TeamsPage });

function TeamsPage() {
  const { org } = Route.useParams();
  const teams = useQuery(teamsQuery(org));
  const [isCreating, setCreating] = useState(false);
  return (
    <PeoplePage
      org={org}
      title="Teams"
      subject={teams}
      renderActions={({ permissions }) =>
        may(permissions, "team", "create") && (
          <Button size="xs" leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
            New team
          </Button>
        )
      }
    >
      {(organization) => (
        <>
          <TeamTable org={org} teams={teams.data ?? []} />
          {isCreating && (
            <NewTeamDialog org={org} organization={organization} onClose={() => setCreating(false)} />
          )}
        </>
      )}
    </PeoplePage>
  );
}

function TeamTable({ org, teams }: { org: string; teams: Team[] }) {
  if (teams.length === 0)
    return <p className="sub">There are no teams. A team gives its members roles, and access to folders.</p>;
  return <DataTable caption="Teams" columns={columnsOf(org)} rows={teams} keyOf={({ id }) => id} />;
}

const columnsOf = (org: string): Column<Team>[] => [
  {
    header: "Team",
    className: "anywhere",
    cell: ({ id, name, description }) => (
      <span className="row">
        <Initials name={name} />
        <span>
          <Link className="team-name" to="/$org/-/people/teams/$team" params={{ org, team: id }}>
            {name}
          </Link>
          {description !== "" && <span className="meta block">{description}</span>}
        </span>
      </span>
    ),
  },
  {
    header: "Members",
    align: "right",
    cell: ({ members }) => members.toLocaleString("en"),
  },
  { header: "Roles that it gives", cell: ({ roleNames }) => roleNames.join(", ") || "none" },
  {
    header: "Changed",
    isHiddenOnPhones: true,
    className: "meta",
    cell: ({ updatedAt }) => <Time value={updatedAt} />,
  },
];

interface DialogProps {
  org: string;
  organization: Organization;
  onClose: () => void;
}

function NewTeamDialog({ org, organization, onClose }: DialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const roles = useQuery(rolesQuery(org));
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [given, setGiven] = useState<string[]>([]);
  const creating = useMutation({
    mutationFn: () => createTeam(org, { name: name.trim(), description, roles: given }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: teamsQuery(org).queryKey });
      await navigate({ to: "/$org/-/people/teams/$team", params: { org, team: id } });
    },
  });
  return (
    <Modal opened onClose={onClose} title="New team">
      <DialogForm
        label="New team"
        action="Create team"
        isReady={name.trim() !== ""}
        isPending={creating.isPending}
        error={creating.error}
        fields={["name", "description"]}
        onSubmit={() => creating.mutate()}
        onClose={onClose}
      >
        <TextInput
          label="Name"
          data-autofocus
          required
          maxLength={50}
          value={name}
          error={fieldError(creating.error, "name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Description"
          placeholder="What the team is for"
          maxLength={200}
          value={description}
          error={fieldError(creating.error, "description")}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <MultiSelect
          label="Roles"
          description="Members of the team have these in addition to their own."
          data={roleOptionsBelowOwner(organization, roles.data)}
          value={given}
          onChange={setGiven}
        />
      </DialogForm>
    </Modal>
  );
}
