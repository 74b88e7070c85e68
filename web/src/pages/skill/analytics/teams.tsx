import { useQuery } from "@tanstack/react-query";
import { numberText } from "../../../../../contract/text/count-text.ts";
import { skillTeamsQuery } from "../../../api/skills/skills.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { TeamTable } from "../../../parts/team-table.tsx";
import { useSkillAddress } from "../context.ts";

/** Teams whose members have the skill installed. */
export function SkillTeams() {
  const { org, ref } = useSkillAddress();
  return (
    <Loaded found={useQuery(skillTeamsQuery(ref))} rows={3}>
      {(data) =>
        data.people > 0 && (
          <TeamTable
            org={org}
            title="By team"
            data={data}
            columns={[
              {
                header: "Outdated",
                align: "right",
                cell: ({ outdated }) => (outdated === 0 ? "–" : numberText(outdated)),
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}
