import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { may } from "../../api/account/session.ts";
import { createTeam, teamsQuery, type Team } from "../../api/organization/people.ts";
import { Initials } from "../../parts/avatar.tsx";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Time } from "../../parts/text/time.tsx";
import { PeoplePage } from "./people-page.tsx";
import { TeamFields, teamFields, trimmed, type TeamDraft } from "./team/team-fields.tsx";

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
  const [draft, setDraft] = useState<TeamDraft>({ name: "", description: "", roles: [] });
  const creating = useMutation({
    mutationFn: () => createTeam(org, trimmed(draft)),
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
        isReady={draft.name.trim() !== ""}
        isPending={creating.isPending}
        error={creating.error}
        fields={teamFields}
        onSubmit={() => creating.mutate()}
        onClose={onClose}
      >
        <TeamFields
          org={org}
          organization={organization}
          draft={draft}
          onChange={setDraft}
          error={creating.error}
          isFocused
        />
      </DialogForm>
    </Modal>
  );
}
