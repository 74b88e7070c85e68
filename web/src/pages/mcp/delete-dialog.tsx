import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { countText } from "../../../../contract/text/count-text.ts";
import { deleteMcpServer, mcpDeletionQuery, mcpServersQuery, type McpServer } from "../../api/mcp-servers.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

/** Names of skills that are shown before the rest is counted. */
const named = 5;

interface Props {
  org: string;
  server: McpServer;
  onClose: () => void;
}

/** Asks before a server is deleted: which skills and connectors lose it, and where it stays installed. */
export function DeleteDialog({ org, server, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(mcpDeletionQuery(org, server.slug));
  const {
    skills = [],
    hasMoreSkills = false,
    hasHiddenSkills = false,
    connectors = 0,
    installs = 0,
  } = data ?? {};
  return (
    <ConfirmDialog
      title={`Delete ${visibleText(server.name)}`}
      action="Delete server"
      phrase={server.slug}
      isDangerous
      run={async () => {
        await deleteMcpServer(org, server.slug);
        await client.invalidateQueries({ queryKey: mcpServersQuery(org).queryKey });
        await navigate({ to: "/$org/-/mcp", params: { org } });
      }}
      onClose={onClose}
    >
      <Problem error={error} retry={() => void refetch()} />
      {skills.length > 0 && (
        <div className="note warn">
          <div className="stack">
            <span>
              {skills.length}
              {hasMoreSkills && " or more"} {skills.length === 1 ? "skill requires" : "skills require"} it,
              and will no longer:
            </span>
            <ul className="plain-list">
              {skills.slice(0, named).map(({ slug }) => (
                <li key={slug} className="mono">
                  {slug}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {hasHiddenSkills && (
        <p className="note danger">
          Skills that you can&apos;t see require it: ask an owner or an administrator to delete it.
        </p>
      )}
      {connectors > 0 && (
        <p>Hosted connectors to it end, with the credentials of their owners: {connectors} at the moment.</p>
      )}
      <p>
        Entries that members have installed stay in their tools
        {installs > 0 && `: ${countText(installs, "install")} at the moment`}.{" "}
        <span className="mono">svc mcp uninstall</span> removes them. This can&apos;t be undone.
      </p>
    </ConfirmDialog>
  );
}
