import { downloadSources } from "../../../contract/vocabulary.ts";
import { DataTable, type Column } from "./lists/data-table.tsx";

type Source = (typeof downloadSources)[number];
type Day = { date: string } & Record<Source, number>;

const labels: Record<Source, string> = { cli: "CLI", web: "Web", api: "API" };

const columns: Column<Day>[] = [
  { header: "Day", cell: ({ date }) => date },
  ...downloadSources.map((source): Column<Day> => ({
    header: labels[source],
    align: "right",
    cell: (day) => day[source].toLocaleString("en"),
  })),
];

/** Downloads by day and source, newest first. */
export function DownloadsTable({ days }: { days: readonly Day[] }) {
  return (
    <div className="table-box">
      <DataTable
        inPanel
        caption="Downloads by day (UTC) and source"
        scrollLabel="Downloads by day"
        columns={columns}
        rows={days.toReversed()}
        keyOf={({ date }) => date}
      />
    </div>
  );
}
