import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { applyCatalog, mcpServerQuery, type McpServer } from "../../api/mcp-servers.ts";
import { Problem } from "../../parts/problem.tsx";

/** A later version of the catalog, which was not taken over automatically. */
export function CatalogUpdate({ org, server }: { org: string; server: McpServer }) {
  const client = useQueryClient();
  const applying = useMutation({
    mutationFn: () => applyCatalog(org, server.slug),
    onSuccess: (saved) => client.setQueryData(mcpServerQuery(org, server.slug).queryKey, saved),
  });
  const update = server.catalogUpdate;
  if (!update) return null;
  return (
    <div className="note warn mcp-update">
      <div className="stack grow">
        <span>
          The catalog has version {update.version}
          {update.changed.length > 0 && `, which changes ${update.changed.join(", ")}`}.
          {server.edited && " It replaces what was changed here."}
        </span>
        <Problem error={applying.error} />
        {server.can.includes("update") && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            loading={applying.isPending}
            onClick={() => applying.mutate()}
          >
            Take over version {update.version}
          </Button>
        )}
      </div>
    </div>
  );
}
