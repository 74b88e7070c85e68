import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { numberText } from "../../../../contract/text/count-text.ts";
import type { Schemas } from "../../api/client.ts";
import { teamUsageQuery, tenantTeamsQuery } from "../../api/organization/organizations.ts";
import { actionsColumn, DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { TeamTable } from "../../parts/team-table.tsx";
import { skillColumn } from "./skill-table.tsx";

/** Teams by the number of their members who have installs, with the skills of one team. */
export function Teams({ org }: { org: string }) {
  const [open, setOpen] = useState<string>();
  return (
    <Loaded found={useQuery(tenantTeamsQuery(org))} rows={4} rowHeight={44}>
      {(data) =>
        data.people > 0 && (
          <TeamTable
            org={org}
            title="Teams"
            data={data}
            columns={actionColumns(open, setOpen)}
            isOpen={({ team }) => team.id === open}
            renderDetails={({ team }) => <TeamSkills org={org} team={team} />}
          />
        )
      }
    </Loaded>
  );
}

/** The button of each team that shows or hides its skills. */
const actionColumns = (open: string | undefined, setOpen: (id: string | undefined) => void) => [
  actionsColumn<Schemas["OrganizationTeams"]["teams"][number]>(({ team }) => (
    <Button
      size="xs"
      variant="default"
      aria-expanded={open === team.id}
      aria-label={`${open === team.id ? "Hide" : "Show"} skills of ${team.name}`}
      onClick={() => setOpen(open === team.id ? undefined : team.id)}
    >
      {open === team.id ? "Hide skills" : "Show skills"}
    </Button>
  )),
];

type Row = Schemas["TeamUsage"]["skills"][number];

function TeamSkills({ org, team }: { org: string; team: { id: string; name: string } }) {
  return (
    <Loaded found={useQuery(teamUsageQuery(org, team.id))} rows={3}>
      {({ skills, count }) => (
        <>
          <DataTable
            inPanel
            caption={`Skills of ${team.name}`}
            columns={[skillColumn(org), ...columns]}
            rows={skills}
            keyOf={({ skill }) => skill.id}
          />
          {count > skills.length && (
            <p className="meta">
              The first {skills.length} of {numberText(count)} skills
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

const columns: Column<Row>[] = [
  { header: "People", align: "right", cell: ({ people }) => numberText(people) },
  { header: "Installs", align: "right", cell: ({ installs }) => numberText(installs) },
  {
    header: "Outdated",
    align: "right",
    cell: ({ outdated }) => (outdated === 0 ? "–" : numberText(outdated)),
  },
];
