import type { McpServer } from "../../api/mcp-servers.ts";
import { visibleText } from "../../parts/visible-text.ts";

const kinds = { env: "variable", headers: "header", variables: "placeholder" } as const;

/** Variables and headers: their fixed values, and what each member supplies. */
export function ValueTable({ server }: { server: McpServer }) {
  const values = (["env", "headers", "variables"] as const).flatMap((list) =>
    server[list].map((value) => ({ ...value, list })),
  );
  return (
    <section className="stack g3" aria-labelledby="values">
      <h2 id="values">Variables and headers</h2>
      {values.length === 0 ? (
        <p className="sub">The server needs none.</p>
      ) : (
        <div className="panel scrollx" tabIndex={0} role="region" aria-label="List of variables and headers">
          <table className="tbl mcp-values">
            <caption className="sr">Variables and headers</caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {values.map((value) => (
                <tr key={`${value.list} ${value.name}`}>
                  <td>
                    <span className="mono">{value.name}</span>{" "}
                    <span className="meta">{kinds[value.list]}</span>
                  </td>
                  <td>
                    {value.kind === "fixed" ? (
                      <code className="mono">{visibleText(value.value)}</code>
                    ) : (
                      <MemberValue value={value} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

type Value = Extract<McpServer["env"][number], { kind: "member" }>;

function MemberValue({ value: { label, description, secret, required, format } }: { value: Value }) {
  return (
    <div className="stack g0">
      <span className="row wrap">
        <span>{visibleText(label)}</span>
        <span className="badge acc">each member</span>
        {secret && <span className="badge">secret</span>}
        {!required && <span className="badge">optional</span>}
        {format !== undefined && format !== "string" && <span className="badge">{format}</span>}
      </span>
      {description && <span className="meta">{visibleText(description)}</span>}
    </div>
  );
}
