import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { mcpServerQuery, type McpServer } from "../../api/mcp-servers.ts";
import { ButtonLink } from "../../parts/button-link.tsx";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { CatalogUpdate } from "./catalog-update.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { Installs } from "./installs.tsx";
import { ToolPreview } from "./preview.tsx";
import { RequiringSkills } from "./requiring-skills.tsx";
import { ServerFacts } from "./server-facts.tsx";
import { ValueTable } from "./value-table.tsx";
import "./mcp.css";

export const Route = createFileRoute("/$org/-/mcp/$server/")({ component: ServerPage });

function ServerPage() {
  const { org, server: slug } = Route.useParams();
  const server = useQuery(mcpServerQuery(org, slug));
  const canUpdate = server.data?.can.includes("update") === true;
  return (
    <OrganizationPage
      org={org}
      title={server.data ? visibleText(server.data.name) : "MCP server"}
      crumbs={[{ label: "MCP servers", link: { to: "/$org/-/mcp", params: { org } } }]}
      permission={["mcpServer", "read"]}
      subject={server}
      renderActions={() =>
        canUpdate && (
          <ButtonLink
            size="xs"
            leftSection={<Pencil size={14} />}
            to="/$org/-/mcp/$server/edit"
            params={{ org, server: slug }}
          >
            Edit
          </ButtonLink>
        )
      }
    >
      {() => server.data && <ServerView org={org} server={server.data} />}
    </OrganizationPage>
  );
}

function ServerView({ org, server }: { org: string; server: McpServer }) {
  const { slug, can, description } = server;
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="page mcp">
      <div className="page-head">
        <div className="stack">
          <h1>
            {visibleText(server.name)} <span className="mono dim slug">{slug}</span>
          </h1>
          {description !== "" && <p className="sub about">{visibleText(description)}</p>}
        </div>
        {can.includes("delete") && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete server
          </Button>
        )}
      </div>
      <CatalogUpdate org={org} server={server} />
      <div className="two-columns">
        <div className="stack gap-6">
          <section className="stack gap-3" aria-labelledby="install">
            <h2 id="install">Install</h2>
            <ToolPreview server={server} hasCommand />
          </section>
          <ValueTable server={server} />
          <RequiringSkills org={org} slug={slug} />
          {can.includes("analytics") && <Installs org={org} server={server} />}
        </div>
        <ServerFacts org={org} server={server} />
      </div>
      {isDeleting && <DeleteDialog org={org} server={server} onClose={() => setDeleting(false)} />}
    </div>
  );
}
