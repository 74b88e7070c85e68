import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import { may } from "../../api/account/session.ts";
import type { Schemas } from "../../api/client.ts";
import { analyticsQuery } from "../../api/organization/organizations.ts";
import { Downloads } from "../../parts/downloads/downloads.tsx";
import { daysOf, readDownloadsSearch } from "../../parts/downloads/search.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { ContextBudget } from "./context-budget.tsx";
import { Teams } from "./teams.tsx";
import { Usage } from "./usage.tsx";

export const Route = createFileRoute("/$org/-/analytics")({
  validateSearch: readDownloadsSearch,
  component: AnalyticsPage,
});

function AnalyticsPage() {
  const { org } = Route.useParams();
  return (
    <OrganizationPage org={org} title="Analytics" permission={["analytics", "read"]}>
      {(organization) => (
        <div className="page stack gap-4">
          <h1>Analytics</h1>
          <p className="sub">
            Downloads and installs of the skills of {organization.name} that you can read.
          </p>
          <Numbers org={org} hasTeams={may(organization.permissions, "member", "read")} />
        </div>
      )}
    </OrganizationPage>
  );
}

function Numbers({ org, hasTeams }: { org: string; hasTeams: boolean }) {
  const search = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const found = useQuery({ ...analyticsQuery(org, daysOf(search)), placeholderData: keepPreviousData });
  return (
    <Loaded found={found}>
      {(data) => (
        <>
          <Downloads
            search={search}
            onSearch={(part) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true })}
            analytics={data}
            name={org}
            figures={[
              { label: "Skills", value: data.skills },
              { label: "Installs of members", value: data.installs },
            ]}
          />
          <Top org={org} top={data.top} />
          <Usage org={org} />
          {hasTeams && <Teams org={org} />}
          <ContextBudget org={org} />
        </>
      )}
    </Loaded>
  );
}

type Data = Schemas["OrganizationAnalytics"];

const pageOf = (org: string, slug: string): string => `/${org}/${slug}`;

function Top({ org, top }: { org: string; top: Data["top"] }) {
  if (top.length === 0) return <p className="sub">No skill was downloaded in this time.</p>;
  return (
    <DataTable
      caption="Skills that were downloaded most"
      columns={columnsOf(org)}
      rows={top}
      keyOf={({ skill }) => skill.id}
    />
  );
}

const columnsOf = (org: string): Column<Data["top"][number]>[] => [
  { header: "Skill", cell: ({ skill }) => <Link to={pageOf(org, skill.slug)}>{skill.slug}</Link> },
  { header: "Downloads", align: "right", cell: ({ downloads }) => downloads.toLocaleString("en") },
];
