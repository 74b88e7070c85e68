import { Button, MultiSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { addToTeam, memberSearchQuery, type Team } from "../../../api/organization/people.ts";
import type { Path } from "../../../api/query.ts";
import { Problem } from "../../../parts/states/problem.tsx";

/** Paths that show who is in a team. */
const teamPaths: Path[] = [
  "/api/tenants/{tenant}/teams",
  "/api/tenants/{tenant}/teams/{id}",
  "/api/tenants/{tenant}/teams/{id}/members",
  "/api/tenants/{tenant}/members",
];

/** Adds members to a team, many at a time. After a failure, those who are not added yet stay chosen. */
export function AddMembers({ org, team }: { org: string; team: Team }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text.trim(), 200);
  const found = useQuery(memberSearchQuery(org, search));
  const [chosen, setChosen] = useState<{ value: string; label: string }[]>([]);
  const adding = useMutation({
    async mutationFn() {
      for (const { value } of chosen) {
        await addToTeam(org, team.id, value);
        setChosen((rest) => rest.filter((one) => one.value !== value));
      }
    },
    onSettled: () => Promise.all(teamPaths.map((path) => client.invalidateQueries({ queryKey: [path] }))),
  });
  const free = (found.data ?? [])
    .filter(({ teamIds }) => !teamIds.includes(team.id))
    .map(({ userId, username, name }) => ({ value: userId, label: `${username} (${name})` }));
  const known = [...chosen, ...free.filter(({ value }) => chosen.every((one) => one.value !== value))];
  return (
    <div className="form stack">
      <MultiSelect
        label="Add members"
        placeholder={chosen.length === 0 ? "Names or user names" : undefined}
        searchable
        hidePickedOptions
        value={chosen.map(({ value }) => value)}
        searchValue={text}
        data={known}
        filter={({ options }) => options}
        nothingFoundMessage="No other member has this name"
        disabled={adding.isPending}
        onSearchChange={setText}
        onChange={(values) => setChosen(known.filter(({ value }) => values.includes(value)))}
      />
      <Problem error={adding.error} />
      {chosen.length > 0 && (
        <Button w="fit-content" loading={adding.isPending} onClick={() => adding.mutate()}>
          Add {countText(chosen.length, "member")}
        </Button>
      )}
    </div>
  );
}
