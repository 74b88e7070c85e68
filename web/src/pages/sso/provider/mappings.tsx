import { Button, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { teamsQuery } from "../../../api/organization/people.ts";
import {
  mappingsQuery,
  putMappings,
  type GroupMapping,
  type SsoProvider,
} from "../../../api/organization/sso.ts";
import { Form } from "../../../parts/forms/form.tsx";
import { actionsColumn, DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { List } from "../../../parts/lists/list-section.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { Time } from "../../../parts/text/time.tsx";

interface Props {
  org: string;
  provider: SsoProvider;
}

/** Teams that people join and leave by their groups at the provider, at each sign-in. */
export function Mappings({ org, provider: { id, groupsOverageAt } }: Props) {
  const found = useQuery(mappingsQuery(org, id));
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (mappings: { group: string; teamId: string }[]) => putMappings(org, id, mappings),
    onSuccess: (saved) => client.setQueryData(mappingsQuery(org, id).queryKey, saved),
  });
  const pairs = (found.data ?? []).map(({ group, teamId }) => ({ group, teamId }));
  return (
    <section className="panel" aria-labelledby="mappings-heading">
      <header>
        <h2 id="mappings-heading">Groups and teams</h2>
      </header>
      <div className="body stack gap-4">
        <p className="sub">
          At each sign-in, people join the teams of their groups and leave the other teams in this list. Teams
          that are not in it stay as they are.
        </p>
        {groupsOverageAt !== null && (
          <p className="note warn">
            A person who signed in <Time value={groupsOverageAt} /> has more groups than the provider sends,
            so their teams did not change. Let the provider send only the groups that are assigned to this
            application, or provision groups with SCIM. The sign-in log has the people.
          </p>
        )}
        <List found={found} rows={2}>
          {(mappings) => (
            <MappingTable
              mappings={mappings}
              isPending={save.isPending}
              onRemove={(at) => save.mutate(pairs.filter((_, index) => index !== at))}
            />
          )}
        </List>
        {found.data && pairs.length < limits.ssoGroupMappings && (
          <AddMapping
            org={org}
            error={save.error}
            isPending={save.isPending}
            onAdd={async (pair) => {
              await save.mutateAsync([...pairs, pair]);
            }}
          />
        )}
      </div>
    </section>
  );
}

interface TableProps {
  mappings: GroupMapping[];
  isPending: boolean;
  onRemove: (index: number) => void;
}

function MappingTable(props: TableProps) {
  return (
    <DataTable
      caption="Teams of groups"
      columns={columnsOf(props)}
      rows={props.mappings}
      keyOf={({ group, teamId }) => `${teamId} ${group}`}
    />
  );
}

const columnsOf = ({ isPending, onRemove }: TableProps): Column<GroupMapping>[] => [
  { header: "Group", className: "wrap-text", cell: ({ group }) => group },
  {
    header: "Team",
    className: "wrap-text",
    cell: ({ team }) => team ?? <span className="danger">deleted team</span>,
  },
  actionsColumn(({ group }, index) => (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      disabled={isPending}
      aria-label={`Remove ${group}`}
      onClick={() => onRemove(index)}
    >
      Remove
    </Button>
  )),
];

interface AddProps {
  org: string;
  error: unknown;
  isPending: boolean;
  onAdd: (pair: { group: string; teamId: string }) => Promise<void>;
}

function AddMapping({ org, error, isPending, onAdd }: AddProps) {
  const teams = useQuery(teamsQuery(org));
  const [group, setGroup] = useState("");
  const [teamId, setTeamId] = useState<string | null>(null);
  const isReady = group.trim() !== "" && teamId !== null && !isPending;
  const submit = async () => {
    if (!isReady) return;
    await onAdd({ group: group.trim(), teamId });
    setGroup("");
    setTeamId(null);
  };
  return (
    <Form label="Add a group" error={error} onSubmit={() => void submit().catch(() => undefined)}>
      <div className="row wrap end-row">
        <TextInput
          className="grow"
          label="Group"
          placeholder="As the provider sends it"
          maxLength={limits.ssoGroup}
          autoComplete="off"
          spellCheck={false}
          value={group}
          onChange={(event) => setGroup(event.currentTarget.value)}
        />
        <Select
          className="grow"
          label="Team"
          placeholder="Choose a team"
          data={(teams.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={teamId}
          searchable
          nothingFoundMessage="No team matches."
          onChange={setTeamId}
        />
        <Button type="submit" variant="default" loading={isPending} disabled={!isReady}>
          Add group
        </Button>
      </div>
      <Problem error={error} />
    </Form>
  );
}
