import { Button, Modal, Select } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { teamsQuery } from "../../api/organization/people.ts";
import {
  manageTeam,
  releaseTeam,
  scimGroupsQuery,
  scimQuery,
  type ScimGroup,
} from "../../api/organization/scim.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { actionsColumn, DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Time } from "../../parts/text/time.tsx";

interface Props {
  org: string;
  isEnabled: boolean;
}

/** The groups that SCIM manages: teams that it has created, and existing ones that an owner has put under it. */
export function Groups({ org, isEnabled }: Props) {
  const found = useQuery(scimGroupsQuery(org));
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <ListSection
        label="Groups"
        found={found}
        filter={
          <div className="row wrap between">
            <p className="sub scim-about">
              A group is a team. SCIM changes which of its users are in it; you give the team its roles and
              folders.
            </p>
            {isEnabled && (
              <Button
                size="xs"
                variant="default"
                leftSection={<Plus size={14} />}
                disabled={!found.data}
                onClick={() => setAdding(true)}
              >
                Put a team under SCIM
              </Button>
            )}
          </div>
        }
        empty="No groups yet. Push groups in your identity provider, and they become teams."
      >
        {(groups) => (
          <DataTable
            caption="Groups that SCIM manages"
            className="align-top"
            columns={columnsOf(org)}
            rows={groups}
            keyOf={({ id }) => id}
          />
        )}
      </ListSection>
      {isAdding && <AddTeam org={org} groups={found.data ?? []} onClose={() => setAdding(false)} />}
    </>
  );
}

const columnsOf = (org: string): Column<ScimGroup>[] => [
  {
    header: "Group",
    className: "wrap-text",
    cell: ({ id, name, isMapped }) => (
      <>
        <Link to="/$org/-/people/teams/$team" params={{ org, team: id }}>
          {name}
        </Link>
        <span className="meta block">{isMapped ? "existing team" : "created through SCIM"}</span>
      </>
    ),
  },
  { header: "Members", align: "right", cell: ({ members }) => members.toLocaleString("en") },
  {
    header: "Changed",
    isHiddenOnPhones: true,
    className: "meta nowrap",
    cell: ({ updatedAt }) => <Time value={updatedAt} />,
  },
  actionsColumn((group) => group.isMapped && <Release org={org} group={group} />),
];

function useRefresh(org: string): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: scimGroupsQuery(org).queryKey }),
      client.invalidateQueries({ queryKey: scimQuery(org).queryKey }),
    ]);
}

function Release({ org, group: { id, name } }: { org: string; group: ScimGroup }) {
  const [isAsked, setAsked] = useState(false);
  const refresh = useRefresh(org);
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-label={`Release ${name}`}
        onClick={() => setAsked(true)}
      >
        Release
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Release ${name}`}
          action="Release team"
          run={async () => {
            await releaseTeam(org, id);
            await refresh();
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            SCIM no longer changes who is in the team. Its members stay in it, also those whom the identity
            provider has added.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface AddProps {
  org: string;
  groups: ScimGroup[];
  onClose: () => void;
}

function AddTeam({ org, groups, onClose }: AddProps) {
  const teams = useQuery(teamsQuery(org));
  const refresh = useRefresh(org);
  const [teamId, setTeamId] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: (id: string) => manageTeam(org, id),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  const managed = new Set(groups.map(({ id }) => id));
  const free = (teams.data ?? []).filter(({ id }) => !managed.has(id));
  const chosen = free.find(({ id }) => id === teamId);
  return (
    <Modal opened onClose={onClose} title="Put a team under SCIM">
      <DialogForm
        label="Put a team under SCIM"
        action="Put under SCIM"
        isReady={chosen !== undefined}
        isPending={add.isPending}
        error={add.error ?? teams.error}
        onSubmit={() => chosen && add.mutate(chosen.id)}
        onClose={onClose}
      >
        <p className="sub">
          Your identity provider finds the team as a group by its name, and decides which of its users are in
          it. It neither renames nor deletes the team, and other members stay.
        </p>
        <Select
          label="Team"
          placeholder="Choose a team"
          data={free.map(({ id, name }) => ({ value: id, label: name }))}
          value={teamId}
          searchable
          nothingFoundMessage="No team matches."
          data-autofocus
          onChange={setTeamId}
        />
        {chosen && chosen.roles.length > 0 && (
          <p className="note warn">
            The identity provider then decides who has the roles of this team: {chosen.roleNames.join(", ")}.
          </p>
        )}
      </DialogForm>
    </Modal>
  );
}
