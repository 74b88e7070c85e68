import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { limits } from "../../../../contract/limits.ts";
import { everyone } from "../../../../contract/vocabulary.ts";
import { teamsQuery } from "../../api/organization/people.ts";
import { visibleText } from "../../parts/text/visible-text.ts";

interface Props {
  org: string;
  /** Ids of teams, or `everyone`. */
  value: string[];
  onChange: (value: string[]) => void;
}

/** Choice of the teams whose members have to install the skills of a collection. */
export function RequiredFor({ org, value, onChange }: Props) {
  const { data: teams = [] } = useQuery(teamsQuery(org));
  const names = new Map([
    [everyone, "Everyone in the organization"],
    ...value.filter((id) => id !== everyone).map((id) => [id, "A team that you can't see"] as const),
    ...teams.map(({ id, name }) => [id, visibleText(name)] as const),
  ]);
  return (
    <MultiSelect
      label="Required for"
      description="Members of these teams install its skills with svc pull --team."
      placeholder={value.length === 0 ? "No team" : undefined}
      searchable
      maxValues={limits.teamsPerRequirement}
      data={[...names].map(([id, label]) => ({ value: id, label }))}
      value={value}
      nothingFoundMessage="No team was found."
      onChange={onChange}
    />
  );
}
