import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { countText } from "../../../../contract/count-text.ts";
import type { Schemas } from "../../api/client.ts";
import { usageQuery } from "../../api/organization/organizations.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Time } from "../../parts/time.tsx";

type Data = Schemas["OrganizationUsage"];

/** Unused skills, installs that are behind, and what all skills cost in the context of an agent. */
export function Usage({ org }: { org: string }) {
  return (
    <Loaded found={useQuery(usageQuery(org))} rows={4} rowHeight={44}>
      {(data) => (
        <>
          {!data.isComplete && (
            <p className="meta">The organization is large: these tables cover the first 20,000 skills.</p>
          )}
          <Unused org={org} data={data} />
          <Outdated org={org} data={data} />
          <Cost org={org} data={data} />
        </>
      )}
    </Loaded>
  );
}

interface Props {
  org: string;
  data: Data;
}

function Unused({ org, data: { unused, days } }: Props) {
  return (
    <Skills
      org={org}
      title={`Not downloaded for ${days} days`}
      note={
        unused.count === 0
          ? "None: every skill that is older was used."
          : noteOf(unused.count, unused.skills.length)
      }
      columns={unusedColumns}
      rows={unused.skills}
    />
  );
}

const unusedColumns: Column<Data["unused"]["skills"][number]>[] = [
  { header: "Downloads before", align: "right", cell: ({ downloads }) => numberOf(downloads) },
  { header: "Last changed", align: "right", cell: ({ updatedAt }) => <Time value={updatedAt} /> },
];

function Outdated({ org, data: { outdated } }: Props) {
  return (
    <Skills
      org={org}
      title="Outdated installs"
      note={
        outdated.installs === 0
          ? "Every install has the current version."
          : `${numberOf(outdated.installs)} in all`
      }
      columns={[
        { header: "Current", align: "right", className: "mono", cell: ({ current }) => current },
        {
          header: "Outdated installs",
          align: "right",
          cell: ({ installs, outdated: behind }) => `${numberOf(behind)} of ${numberOf(installs)}`,
        },
      ]}
      rows={outdated.skills}
    />
  );
}

function Cost({ org, data: { cost } }: Props) {
  return (
    <Skills
      org={org}
      title="Cost in context"
      note={`about ${numberOf(cost.idle)} tokens for an agent that has all skills`}
      columns={[
        {
          header: "Name and description",
          align: "right",
          cell: ({ idle }) => `about ${numberOf(idle)} tokens`,
        },
      ]}
      rows={cost.skills}
    />
  );
}

const numberOf = (value: number) => value.toLocaleString("en");

const noteOf = (count: number, shown: number) =>
  count > shown ? `${numberOf(count)} skills, of which the first ${shown}` : countText(count, "skill");

interface SkillRow {
  skill: { id: string; slug: string };
}
interface SkillsProps<T> {
  org: string;
  title: string;
  note: string;
  /** Columns after the name of the skill. */
  columns: Column<T>[];
  rows: T[];
}

const nameColumn = (org: string): Column<SkillRow> => ({
  header: "Skill",
  cell: ({ skill: { slug } }) => (
    <Link to="/$org/$slug" params={{ org, slug }}>
      {slug}
    </Link>
  ),
});

function Skills<T extends SkillRow>({ org, title, note, columns, rows }: SkillsProps<T>) {
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2 className="grow">{title}</h2>
        <span className="meta">{note}</span>
      </header>
      {rows.length > 0 && (
        <DataTable
          inPanel
          caption={title}
          columns={[nameColumn(org), ...columns]}
          rows={rows}
          keyOf={({ skill }) => skill.id}
        />
      )}
    </section>
  );
}
