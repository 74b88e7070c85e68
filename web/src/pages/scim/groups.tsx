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
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { DialogForm } from "../../parts/dialog-form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";

interface Props {
  org: string;
  isEnabled: boolean;
}

/** The groups that SCIM manages: teams that it has created, and existing ones that an owner has put under it. */
export function Groups({ org, isEnabled }: Props) {
  const found = useQuery(scimGroupsQuery(org));
  const [isAdding, setAdding] = useState(false);
  return (
    <section className="stack g3" aria-label="Groups">
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
      <Problem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={40} />}
      {found.data?.length === 0 && (
        <p className="sub">No groups yet. Push groups in your identity provider, and they become teams.</p>
      )}
      {found.data && found.data.length > 0 && <GroupTable org={org} groups={found.data} />}
      {isAdding && <AddTeam org={org} groups={found.data ?? []} onClose={() => setAdding(false)} />}
    </section>
  );
}

function GroupTable({ org, groups }: { org: string; groups: ScimGroup[] }) {
  return (
    <div className="panel scroll">
      <table className="tbl scim-table">
        <caption className="sr">Groups that SCIM manages</caption>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col" className="right">
              Members
            </th>
            <th scope="col" className="hide-s">
              Changed
            </th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <GroupRow key={group.id} org={org} group={group} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function useRefresh(org: string): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: scimGroupsQuery(org).queryKey }),
      client.invalidateQueries({ queryKey: scimQuery(org).queryKey }),
    ]);
}

function GroupRow({ org, group }: { org: string; group: ScimGroup }) {
  const { id, name, members, isMapped, updatedAt } = group;
  const [isAsked, setAsked] = useState(false);
  const refresh = useRefresh(org);
  return (
    <tr>
      <td className="wrap-text">
        <Link to="/$org/-/people/teams/$team" params={{ org, team: id }}>
          {name}
        </Link>
        <span className="meta block">{isMapped ? "existing team" : "created by SCIM"}</span>
      </td>
      <td className="right">{members.toLocaleString("en")}</td>
      <td className="meta hide-s nowrap">
        <Time value={updatedAt} />
      </td>
      <td className="right">
        {isMapped && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label={`Release ${name}`}
            onClick={() => setAsked(true)}
          >
            Release
          </Button>
        )}
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
      </td>
    </tr>
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
