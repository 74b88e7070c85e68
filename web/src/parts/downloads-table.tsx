import { downloadSources } from "../../../contract/vocabulary.ts";

type Source = (typeof downloadSources)[number];
type Day = { date: string } & Record<Source, number>;

const labels: Record<Source, string> = { cli: "CLI", web: "Web", api: "API" };

/** Downloads by day and source, newest first. */
export function DownloadsTable({ days }: { days: readonly Day[] }) {
  return (
    <div className="tbl-box" tabIndex={0} role="region" aria-label="Downloads by day">
      <table className="tbl">
        <caption className="sr">Downloads by day (UTC) and source</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {downloadSources.map((source) => (
              <th key={source} scope="col" className="right">
                {labels[source]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.date}>
              <td>{day.date}</td>
              {downloadSources.map((source) => (
                <td key={source} className="right">
                  {day[source].toLocaleString("en")}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
