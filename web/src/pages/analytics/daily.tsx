import { Button } from "@mantine/core";
import { useState } from "react";
import { countText } from "../../../../contract/count-text.ts";
import { downloadSources } from "../../../../contract/vocabulary.ts";
import type { Schemas } from "../../api/client.ts";
import { DownloadsTable } from "../../parts/downloads-table.tsx";

type Day = Schemas["OrganizationAnalytics"]["daily"][number];

const height = 160;
const step = 10;

/** Downloads by day and source, as stacked bars or as a table. */
export function Daily({ days }: { days: Day[] }) {
  const [isTable, setTable] = useState(false);
  return (
    <section className="stack gap-3" aria-label="Downloads by day">
      <div className="row between">
        <h2>Downloads by day</h2>
        <Button size="xs" variant="default" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? "Show the chart" : "Show as a table"}
        </Button>
      </div>
      {isTable ? (
        <div className="panel">
          <DownloadsTable days={days} />
        </div>
      ) : (
        <Bars days={days} />
      )}
    </section>
  );
}

const totalOf = (day: Day) => downloadSources.reduce((sum, source) => sum + day[source], 0);

function Bars({ days }: { days: Day[] }) {
  const most = Math.max(1, ...days.map(totalOf));
  const total = days.reduce((sum, day) => sum + totalOf(day), 0);
  return (
    <>
      <svg
        className="bars"
        viewBox={`0 0 ${days.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${countText(total, "download")} in ${countText(days.length, "day")}, at most ${most} a day`}
      >
        {days.map((day, index) => {
          let top = height;
          return (
            <g key={day.date}>
              <title>{`${day.date}: ${totalOf(day)}`}</title>
              {downloadSources.map((source) => {
                const size = (day[source] / most) * (height - 2);
                top -= size;
                return (
                  <rect
                    key={source}
                    className={source}
                    x={index * step + 1}
                    y={top}
                    width={step - 2}
                    height={size}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <div className="row wrap between meta">
        <span>{days[0]?.date}</span>
        <span className="row keys">
          {downloadSources.map((source) => (
            <span key={source}>
              <i className={source} />
              {source}
            </span>
          ))}
        </span>
        <span>{days.at(-1)?.date}</span>
      </div>
    </>
  );
}
