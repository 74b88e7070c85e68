import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { workspaceSettingsQuery } from "../../api/organization/workspaces.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { WorkspaceList } from "./list.tsx";
import { Settings } from "./settings.tsx";

export const Route = createFileRoute("/$org/-/workspaces")({ component: WorkspacesPage });

function WorkspacesPage() {
  const { org } = Route.useParams();
  const settings = useQuery(workspaceSettingsQuery(org));
  return (
    <OrganizationPage
      org={org}
      title="Workspaces"
      heading="Personal workspaces"
      permission={["personalWorkspace", "manage"]}
      subject={settings}
    >
      {(organization) => (
        <div className="page stack gap-4">
          <h1>Personal workspaces</h1>
          <p className="sub">
            A private folder for each member of {organization.name}, which the service creates and manages.
          </p>
          {settings.data && <Settings org={org} organization={organization} settings={settings.data} />}
          {settings.data?.folder && <WorkspaceList org={org} organization={organization} />}
        </div>
      )}
    </OrganizationPage>
  );
}
