import { Button, MultiSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeTeam,
  rolesQuery,
  teamQuery,
  teamsQuery,
  type Team,
} from "../../../api/organization/people.ts";
import type { Organization } from "../../../parts/organization-page.tsx";
import { roleOptionsBelowOwner } from "../../../parts/people/roles-of.ts";
import { Problem } from "../../../parts/problem.tsx";

interface Props {
  org: string;
  organization: Organization;
  team: Team;
}

/** The name, description and roles of a team, for those who may change it. */
export function TeamForm({ org, organization, team }: Props) {
  const client = useQueryClient();
  const roles = useQuery(rolesQuery(org));
  const [name, setName] = useState(team.name);
  const [description, setDescription] = useState(team.description);
  const [given, setGiven] = useState(team.roles);
  const saving = useMutation({
    mutationFn: () =>
      changeTeam(org, team.id, { name: name.trim(), description: description.trim(), roles: given }),
    onSuccess: async (saved) => {
      client.setQueryData(teamQuery(org, team.id).queryKey, saved);
      await client.invalidateQueries({ queryKey: teamsQuery(org).queryKey });
    },
  });
  const isChanged =
    name.trim() !== team.name ||
    description.trim() !== team.description ||
    given.join() !== team.roles.join();
  return (
    <form
      className="form stack gap-3"
      aria-label="Name, description and roles"
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
      <TextInput
        label="Description"
        placeholder="What the team is for"
        maxLength={200}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
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
