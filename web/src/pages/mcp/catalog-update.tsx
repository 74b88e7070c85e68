import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  applyCatalogUpdate,
  mcpServerQuery,
  readCatalogUpdate,
  type CatalogUpdate as Update,
  type McpServer,
} from "../../api/mcp-servers.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

/** A later version of the catalog, which was not taken over automatically. */
export function CatalogUpdate({ org, server }: { org: string; server: McpServer }) {
  const client = useQueryClient();
  const reading = useMutation({ mutationFn: () => readCatalogUpdate(org, server.slug) });
  const offered = server.catalogUpdate;
  if (!offered) return null;
  return (
    <div className="note warn mcp-update">
      <div className="stack grow">
        <span>
          The catalog has version {offered.version}
          {offered.changed.length > 0 && `. Taking it over changes ${offered.changed.join(", ")}`}.
        </span>
        <Problem error={reading.error} />
        {server.can.includes("update") && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            loading={reading.isPending}
            onClick={() => reading.mutate()}
          >
            Review version {offered.version}
          </Button>
        )}
      </div>
      {reading.data && (
        <ConfirmDialog
          title={`Take over version ${reading.data.version}`}
          action="Take over"
          run={() => applyCatalogUpdate(org, server.slug, reading.data)}
          onDone={(saved) => {
            client.setQueryData(mcpServerQuery(org, server.slug).queryKey, saved);
            reading.reset();
          }}
          onClose={reading.reset}
        >
          <Changes changes={reading.data.changes} />
        </ConfirmDialog>
      )}
    </div>
  );
}

const labels: Record<string, string> = {
  transport: "Transport",
  command: "Command",
  url: "Address",
  allowHttp: "Without encryption",
  args: "Arguments",
  env: "Variables",
  headers: "Headers",
  variables: "Placeholders",
};

/** Values that are replaced, and those that replace them. */
function Changes({ changes }: Pick<Update, "changes">) {
  const replaced = changes
    .filter(({ changedHere }) => changedHere)
    .map(({ field }) => labels[field] ?? field);
  return (
    <>
      {changes.length === 0 && <p>The configuration stays as it is, and follows the catalog again.</p>}
      {replaced.length > 0 && (
        <p className="note warn">This replaces what was changed here: {replaced.join(", ")}.</p>
      )}
      {changes.length > 0 && (
        <DataTable
          caption="Changes of the version"
          scrollLabel="Changes of the version"
          className="mcp-changes"
          columns={columns}
          rows={changes}
          keyOf={({ field }) => field}
        />
      )}
      <p className="sub">Members get it with the next svc mcp pull. Their tools then run or connect to it.</p>
    </>
  );
}

const columns: Column<Update["changes"][number]>[] = [
  { header: "Field", cell: ({ field }) => labels[field] ?? field },
  { header: "Now", cell: ({ current }) => <Lines lines={current} /> },
  { header: "In the catalog", cell: ({ latest }) => <Lines lines={latest} /> },
];

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <span className="dim">none</span>;
  return (
    <div className="stack gap-0">
      {lines.map((line, at) => (
        // Lines have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <code key={at} className="mono">
          {visibleText(line)}
        </code>
      ))}
    </div>
  );
}
