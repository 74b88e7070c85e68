import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeTeam, teamQuery, teamsQuery, type Team } from "../../../api/organization/people.ts";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { TeamFields, teamFields, trimmed, type TeamDraft } from "./team-fields.tsx";

interface Props {
  org: string;
  organization: Organization;
  team: Team;
}

/** The name, description and roles of a team, for those who may change it. */
export function TeamForm({ org, organization, team }: Props) {
  const client = useQueryClient();
  const { name, description, roles } = team;
  const [draft, setDraft] = useState<TeamDraft>({ name, description, roles });
  const sent = trimmed(draft);
  const saving = useMutation({
    mutationFn: () => changeTeam(org, team.id, sent),
    onSuccess: async (saved) => {
      client.setQueryData(teamQuery(org, team.id).queryKey, saved);
      await client.invalidateQueries({ queryKey: teamsQuery(org).queryKey });
    },
  });
  const isChanged =
    sent.name !== name || sent.description !== description || sent.roles.join() !== roles.join();
  return (
    <form
      className="form stack gap-3"
      aria-label="Name, description and roles"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <TeamFields
        org={org}
        organization={organization}
        draft={draft}
        onChange={setDraft}
        error={saving.error}
      />
      <Problem error={saving.error} fields={teamFields} />
      <Button
        type="submit"
        w="fit-content"
        loading={saving.isPending}
        disabled={!isChanged || sent.name === ""}
      >
        Save
      </Button>
    </form>
  );
}
