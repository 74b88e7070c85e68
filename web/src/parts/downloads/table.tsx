import { DataTable, type Column } from "../lists/data-table.tsx";
import { sources, type Day } from "./sources.ts";

const columns: Column<Day>[] = [
  { header: "Day", cell: ({ date }) => date },
  ...sources.map(({ name, label }): Column<Day> => ({
    header: label,
    align: "right",
    cell: (day) => day[name].toLocaleString("en"),
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
