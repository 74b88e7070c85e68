import { Link } from "@tanstack/react-router";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";

interface SkillRow {
  skill: { id: string; slug: string };
}

/** The skill of each row, as a link to its page. */
export const skillColumn = (org: string): Column<SkillRow> => ({
  header: "Skill",
  cell: ({ skill: { slug } }) => (
    <Link to="/$org/$slug" params={{ org, slug }}>
      {slug}
    </Link>
  ),
});

interface Props<T> {
  org: string;
  title: string;
  note: string;
  /** Columns after the name of the skill. */
  columns: Column<T>[];
  rows: T[];
}

/** A panel with skills and their figures. */
export function SkillTable<T extends SkillRow>({ org, title, note, columns, rows }: Props<T>) {
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
          columns={[skillColumn(org), ...columns]}
          rows={rows}
          keyOf={({ skill }) => skill.id}
        />
      )}
    </section>
  );
}
