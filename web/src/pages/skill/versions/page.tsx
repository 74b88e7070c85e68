import "./versions.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { refOf, versionsQuery } from "../../../api/skills/skills.ts";
import { useWindowed } from "../../../parts/code/windowed.ts";
import { itemsOf, useNextPage, type Found } from "../../../parts/lists/found.ts";
import { More } from "../../../parts/lists/list-section.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { useSkillAddress } from "../context.ts";
import { Problem, TabProblem } from "../tab-failed.tsx";
import { ChannelList } from "./channel-list.tsx";
import { CompareBar } from "./compare-bar.tsx";
import { timelineRows, type TimelineRow } from "./timeline.ts";
import { VersionRow } from "./version-row.tsx";

const heights = { month: 40, version: 62 };
/** Distance to the end of the list from which the next page is loaded. */
const prefetchRows = 20;

export const Route = createFileRoute("/$org/$slug/versions")({
  loader: ({ context, params }) => {
    void context.client.prefetchInfiniteQuery(versionsQuery(refOf(params)));
  },
  errorComponent: TabProblem,
  component: Versions,
});

function Versions() {
  const { ref } = useSkillAddress();
  const found = useInfiniteQuery(versionsQuery(ref));
  const { data } = found;
  const versions = useMemo(() => itemsOf({ data }), [data]);
  const rows = useMemo(() => timelineRows(versions), [versions]);
  const [ticked, setTicked] = useState<string[]>([]);
  const tick = (semver: string) =>
    setTicked((old) =>
      old.includes(semver) ? old.filter((one) => one !== semver) : [...old, semver].slice(-2),
    );
  if (found.isPending) return <SkeletonRows height={62} />;
  if (found.error && !data) return <Problem error={found.error} retry={() => void found.refetch()} />;
  return (
    <section className="versions tab-content" aria-label="Versions">
      <ChannelList />
      <CompareBar ticked={ticked} versions={versions} onClear={() => setTicked([])} />
      <Timeline rows={rows} ticked={ticked} onTick={tick} found={found} />
      {found.isFetchNextPageError && <More found={found}>Show older versions</More>}
      <p className="meta" role="status">
        {found.isFetchingNextPage ? "Loading older versions" : ""}
      </p>
    </section>
  );
}

interface TimelineProps {
  rows: TimelineRow[];
  ticked: string[];
  onTick: (semver: string) => void;
  found: Found<unknown>;
}

function Timeline({ rows, ticked, onTick, found }: TimelineProps) {
  const heightOf = (index: number) => heights[rows[index]?.kind ?? "version"];
  const { list, rows: view, margin } = useWindowed(rows.length, heightOf);
  const drawn = view.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useNextPage(found, last > rows.length - prefetchRows);
  return (
    <div ref={list} className="timeline" style={{ height: view.getTotalSize() }}>
      {drawn.map(({ index, start, key }) => {
        const row = rows[index];
        if (!row) return null;
        const style = { transform: `translateY(${start - margin}px)` };
        return row.kind === "month" ? (
          <h2 key={key} className="month" style={style}>
            {row.label}
          </h2>
        ) : (
          <div key={key} className="version-row" style={style}>
            <VersionRow
              version={row.version}
              isTicked={ticked.includes(row.version.semver)}
              onTick={onTick}
            />
          </div>
        );
      })}
    </div>
  );
}
