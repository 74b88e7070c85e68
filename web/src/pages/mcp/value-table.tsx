import type { McpServer } from "../../api/mcp-servers.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

const kinds = { env: "variable", headers: "header", variables: "placeholder" } as const;

/** Variables and headers: their fixed values, and what each member supplies. */
export function ValueTable({ server }: { server: McpServer }) {
  const values = (["env", "headers", "variables"] as const).flatMap((list) =>
    server[list].map((value) => ({ ...value, list })),
  );
  return (
    <section className="stack gap-3" aria-labelledby="values">
      <h2 id="values">Variables and headers</h2>
      {values.length === 0 ? (
        <p className="sub">The server needs none.</p>
      ) : (
        <DataTable
          caption="Variables and headers"
          scrollLabel="List of variables and headers"
          className="mcp-values"
          columns={columns}
          rows={values}
          keyOf={({ list, name }) => `${list} ${name}`}
        />
      )}
    </section>
  );
}

type Value = Extract<McpServer["env"][number], { kind: "member" }>;

const columns: Column<McpServer["env"][number] & { list: keyof typeof kinds }>[] = [
  {
    header: "Name",
    cell: ({ name, list }) => (
      <>
        <span className="mono">{name}</span> <span className="meta">{kinds[list]}</span>
      </>
    ),
  },
  {
    header: "Value",
    cell: (value) =>
      value.kind === "fixed" ? (
        <code className="mono">{visibleText(value.value)}</code>
      ) : (
        <MemberValue value={value} />
      ),
  },
];

function MemberValue({ value: { label, description, secret, required, format } }: { value: Value }) {
  return (
    <div className="stack gap-0">
      <span className="row wrap">
        <span>{visibleText(label)}</span>
        <span className="badge accent">each member</span>
        {secret && <span className="badge">secret</span>}
        {!required && <span className="badge">optional</span>}
        {format !== undefined && format !== "string" && <span className="badge">{format}</span>}
      </span>
      {description && <span className="meta">{visibleText(description)}</span>}
    </div>
  );
}
