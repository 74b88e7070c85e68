import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  deleteMcpServer,
  mcpAnalyticsQuery,
  mcpServersQuery,
  type McpServer,
} from "../../api/mcp-servers.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { useRequiringSkills } from "./requiring-skills.tsx";

/** Names of skills that are shown before the rest is counted. */
const named = 5;

interface Props {
  org: string;
  server: McpServer;
  onClose: () => void;
}

/** Asks before a server is deleted: which skills lose it, and where it stays installed. */
export function DeleteDialog({ org, server, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { found, skills } = useRequiringSkills(org, server.slug);
  const analytics = useQuery({
    ...mcpAnalyticsQuery(org, server.slug),
    enabled: server.can.includes("analytics"),
  });
  const installs = analytics.data?.installs ?? 0;
  const count = `${skills.length}${found.hasNextPage ? " or more" : ""}`;
  return (
    <ConfirmDialog
      title={`Delete ${server.name}`}
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
      {skills.length > 0 && (
        <div className="note warn">
          <div className="stack">
            <span>
              {count} {skills.length === 1 ? "skill requires" : "skills require"} it, and will no longer:
            </span>
            <ul className="plain-list">
              {skills.slice(0, named).map(({ id, slug }) => (
                <li key={id} className="mono">
                  {slug}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <p>
        Entries that members have installed stay in their tools
        {installs > 0 && `: ${installs} ${installs === 1 ? "install" : "installs"} at the moment`}.{" "}
        <span className="mono">svc mcp uninstall</span> removes them. This can&apos;t be undone.
      </p>
    </ConfirmDialog>
  );
}
