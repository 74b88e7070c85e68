import type { Schemas } from "../../../api/client.ts";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";

type Analytics = Schemas["SkillAnalytics"];

const columns: Column<Analytics["versions"][number]>[] = [
  { header: "Version", className: "mono", cell: ({ semver }) => semver },
  { header: "Downloads", align: "right", cell: ({ downloads }) => downloads.toLocaleString("en") },
];

/** The versions that were downloaded most. */
export function VersionTable({ versions, days }: { versions: Analytics["versions"]; days: number }) {
  return (
    <div className="panel">
      <header>
        <h2>By version</h2>
        <span className="meta">last {days} days</span>
      </header>
      <DataTable
        inPanel
        caption={`Downloads by version in the last ${days} days`}
        columns={columns}
        rows={versions}
        keyOf={({ version }) => version}
      />
    </div>
  );
}
