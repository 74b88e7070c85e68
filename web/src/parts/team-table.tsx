import { Link } from "@tanstack/react-router";
import { countText, numberText } from "../../../contract/text/count-text.ts";
import type { Schemas } from "../api/client.ts";
import { ShareBar } from "./charts/share-bar.tsx";
import { DataTable, type Column } from "./lists/data-table.tsx";
import { visibleText } from "./text/visible-text.ts";

interface Row {
  team: { id: string; name: string };
  people: number;
  members: number;
  installs: number;
}
type Data = Omit<Schemas["OrganizationTeams"], "teams" | "withoutTeam"> & {
  withoutTeam: { people: number; installs: number };
};

interface Props<T extends Row> {
  org: string;
  title: string;
  data: Data & { teams: T[] };
  /** Columns after the number of installs. */
  columns?: Column<T>[];
  isOpen?: (row: T) => boolean;
  renderDetails?: (row: T) => React.ReactNode;
}

/** Teams by the number of their members who have installs. */
export function TeamTable<T extends Row>({ org, title, data, columns = [], ...details }: Props<T>) {
  const { people, count, teams, withoutTeam, isComplete } = data;
  const note = [
    countText(people, "person", "people"),
    withoutTeam.people > 0 ? `${numberText(withoutTeam.people)} of them not in a team` : "",
    count > teams.length ? `the first ${teams.length} of ${numberText(count)} teams` : "",
    isComplete ? "" : "the first 20,000 groups of installs only",
  ];
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2 className="grow">{title}</h2>
        <span className="meta">{note.filter(Boolean).join(", ")}</span>
      </header>
      {teams.length > 0 ? (
        <DataTable
          inPanel
          caption={title}
          columns={[...columnsOf(org), ...columns]}
          rows={teams}
          keyOf={({ team }) => team.id}
          {...details}
        />
      ) : (
        <p className="body sub">No team member has installs.</p>
      )}
    </section>
  );
}

const columnsOf = (org: string): Column<Row>[] => [
  {
    header: "Team",
    isRowHeader: true,
    cell: ({ team }) => (
      <Link to="/$org/-/people/teams/$team" params={{ org, team: team.id }}>
        {visibleText(team.name)}
      </Link>
    ),
  },
  {
    header: "People",
    align: "right",
    cell: (row) => `${numberText(row.people)} of ${numberText(row.members)}`,
  },
  {
    header: "Share",
    isHiddenOnPhones: true,
    cell: (row) => <ShareBar part={row.people} all={row.members} />,
  },
  { header: "Installs", align: "right", cell: (row) => numberText(row.installs) },
];
