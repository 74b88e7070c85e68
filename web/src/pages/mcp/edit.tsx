import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { mcpServerQuery, mcpServersQuery, updateMcpServer, type McpServer } from "../../api/mcp-servers.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { configOf, type Draft } from "./form/draft.ts";
import { ServerForm } from "./form/server-form.tsx";
import { PublicNote } from "./public-note.tsx";
import "./mcp.css";

export const Route = createFileRoute("/$org/-/mcp/$server/edit")({ component: EditServerPage });

function EditServerPage() {
  const { org, server: slug } = Route.useParams();
  const server = useQuery(mcpServerQuery(org, slug));
  const name = server.data ? visibleText(server.data.name) : "MCP server";
  const params = { org, server: slug };
  return (
    <OrganizationPage
      org={org}
      title={`Edit ${name}`}
      crumbs={[
        { label: "MCP servers", link: { to: "/$org/-/mcp", params: { org } } },
        { label: name, link: { to: "/$org/-/mcp/$server", params } },
      ]}
      permission={["mcpServer", "update"]}
      subject={server}
    >
      {() =>
        server.data &&
        (server.data.can.includes("update") ? (
          <EditServer key={slug} org={org} current={server.data} />
        ) : (
          <div className="page stack gap-3">
            <h1>You can&apos;t edit {name}</h1>
            <p className="sub">
              You can read it only, since its folder is restricted. Someone who manages access to the folder
              can let you edit it.
            </p>
          </div>
        ))
      }
    </OrganizationPage>
  );
}

/** Edits the revision with which the page was opened: the service refuses to overwrite a later one. */
function EditServer({ org, current }: { org: string; current: McpServer }) {
  const [server] = useState(current);
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = () => navigate({ to: "/$org/-/mcp/$server", params: { org, server: server.slug } });
  const saving = useMutation({
    mutationFn: (draft: Draft) => {
      const { name, description, folderId } = draft;
      const { command = null, url = null, allowHttp = false, ...config } = configOf(draft);
      const fields = { name, description, folderId, command, url, allowHttp, ...config };
      return updateMcpServer(org, server.slug, { ...fields, revision: server.revision });
    },
    onSuccess: async (saved) => {
      client.setQueryData(mcpServerQuery(org, server.slug).queryKey, saved);
      await client.invalidateQueries({ queryKey: mcpServersQuery(org).queryKey });
      await leave();
    },
  });
  return (
    <div className="page mcp">
      <h1>Edit {visibleText(server.name)}</h1>
      <PublicNote org={org} />
      {current.revision !== server.revision && (
        <p className="note warn" role="status">
          Someone has saved revision {current.revision} since you opened this page. Reload the page to edit
          it.
        </p>
      )}
      <ServerForm
        org={org}
        server={server}
        saving={saving}
        onSave={saving.mutate}
        onCancel={() => void leave()}
      />
    </div>
  );
}
