import "./analytics.css";
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, Link, useNavigate } from "@tanstack/react-router";
import type { Schemas } from "../../api/client.ts";
import { analyticsQuery } from "../../api/organization/organizations.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { OrganizationPage } from "../../parts/organization-page.tsx";
import { Daily } from "./daily.tsx";
import { Usage } from "./usage.tsx";

const ranges = [7, 30, 90, 365] as const;
type Range = (typeof ranges)[number];

export const Route = createFileRoute("/$org/-/analytics")({
  validateSearch: (raw: Record<string, unknown>): { days?: Range } => ({
    days: ranges.find((days) => days === raw["days"]),
  }),
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
          <Numbers org={org} />
        </div>
      )}
    </OrganizationPage>
  );
}

function Numbers({ org }: { org: string }) {
  const { days = 30 } = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const found = useQuery(analyticsQuery(org, days));
  return (
    <>
      <SegmentedControl
        aria-label="Time range"
        size="xs"
        w="fit-content"
        data={ranges.map((one) => ({ value: String(one), label: `${one} days` }))}
        value={String(days)}
        onChange={(value) =>
          void navigate({ search: { days: ranges.find((one) => String(one) === value) }, replace: true })
        }
      />
      <Loaded found={found}>
        {(data) => (
          <>
            <Totals of={data} />
            <Daily days={data.daily} />
            <Top org={org} top={data.top} />
            <Usage org={org} />
          </>
        )}
      </Loaded>
    </>
  );
}

type Data = Schemas["OrganizationAnalytics"];

function Totals({ of }: { of: Data }) {
  const facts: [string, number][] = [
    ["downloads in all", of.total],
    ["in the last 7 days", of.last7Days],
    ["in the last 30 days", of.last30Days],
    ["skills", of.skills],
    ["installs of members", of.installs],
  ];
  return (
    <dl className="stats">
      {facts.map(([label, value]) => (
        <div key={label} className="panel">
          <dt className="meta">{label}</dt>
          <dd>{value.toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}

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
