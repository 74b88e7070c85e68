import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { foldersQuery } from "../../api/account/session.ts";
import { createMcpServer, mcpServersQuery } from "../../api/mcp-servers.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { configOf, type Draft } from "./form/draft.ts";
import { ServerForm } from "./form/server-form.tsx";
import { PublicNote } from "./public-note.tsx";
import "./mcp.css";

export const Route = createFileRoute("/$org/-/mcp/new")({ component: NewServerPage });

function NewServerPage() {
  const { org } = Route.useParams();
  const folders = useQuery(foldersQuery(org));
  return (
    <OrganizationPage
      org={org}
      title="New MCP server"
      crumbs={[{ label: "MCP servers", link: { to: "/$org/-/mcp", params: { org } } }]}
      permission={["mcpServer", "create"]}
      subject={folders}
    >
      {() => <NewServer org={org} />}
    </OrganizationPage>
  );
}

function NewServer({ org }: { org: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const saving = useMutation({
    mutationFn: (draft: Draft) => {
      const { name, slug, description, folderId } = draft;
      const own = slug.trim() === "" ? {} : { slug: slug.trim() };
      return createMcpServer(org, { name, ...own, description, folderId, ...configOf(draft) });
    },
    onSuccess: async ({ slug }) => {
      await client.invalidateQueries({ queryKey: mcpServersQuery(org).queryKey });
      await navigate({ to: "/$org/-/mcp/$server", params: { org, server: slug } });
    },
  });
  return (
    <div className="page mcp">
      <h1>New MCP server</h1>
      <PublicNote org={org} />
      <ServerForm
        org={org}
        server={undefined}
        saving={saving}
        onSave={saving.mutate}
        onCancel={() => void navigate({ to: "/$org/-/mcp", params: { org } })}
      />
    </div>
  );
}
