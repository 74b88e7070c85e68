import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useMemo } from "react";
import { installsQuery, installSummaryQuery, type SkillInstall } from "../../../api/skill-settings.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine, installLine } from "../../../parts/copy/shell.ts";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { itemsOf } from "../../../parts/lists/found.ts";
import { More } from "../../../parts/lists/list-section.tsx";
import { SkeletonRows } from "../../../parts/skeleton-rows.tsx";
import { Time } from "../../../parts/time.tsx";
import { visibleText } from "../../../parts/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { Problem, TabProblem } from "../tab-failed.tsx";

export const Route = createFileRoute("/$org/$slug/installs")({
  errorComponent: TabProblem,
  component: Installs,
});

function Installs() {
  const { org, slug, ref } = useSkillAddress();
  const found = useInfiniteQuery(installsQuery(ref));
  const { data } = found;
  const { data: summary } = useQuery(installSummaryQuery(ref));
  const installs = useMemo(
    () => itemsOf({ data }).toSorted((a, b) => Number(b.updateAvailable) - Number(a.updateAvailable)),
    [data],
  );
  if (found.isPending) return <SkeletonRows />;
  if (found.error && !data) return <Problem error={found.error} retry={() => void found.refetch()} />;
  if (installs.length === 0) {
    return (
      <section className="tab-content stack gap-3">
        <h2>No member has installed this skill</h2>
        <p className="sub">Installs with svc appear here while a member is signed in.</p>
        <Command text={installLine(org, slug)} />
      </section>
    );
  }
  return (
    <section className="tab-content stack gap-4" aria-label="Installs">
      {summary && (
        <p className="sub">
          {summary.installs === 1 ? "Installed in 1 place" : `Installed in ${summary.installs} places`},{" "}
          {summary.outdated === 0 ? "none of them outdated" : `${summary.outdated} of them outdated`}.
        </p>
      )}
      {installs.some(({ updateAvailable }) => updateAvailable) && (
        <div className="stack">
          <p className="meta">Members update their installs with this command:</p>
          <Command text={commandLine("svc", "pull", `${org}/${slug}`)} />
        </div>
      )}
      <DataTable
        caption="Installs by member, outdated ones first"
        scrollLabel="List of installs"
        columns={columns}
        rows={installs}
        keyOf={({ id }) => id}
      />
      <More found={found}>Show more installs</More>
    </section>
  );
}

const columns: Column<SkillInstall>[] = [
  {
    header: "Member",
    cell: ({ user }) => (
      <span className="row">
        <Initials name={user.name} />
        {visibleText(user.name)} <span className="dim">{user.username}</span>
      </span>
    ),
  },
  { header: "Tool", cell: ({ platform }) => platform },
  { header: "Scope", cell: ({ scope }) => (scope === "global" ? "everywhere" : "a project") },
  {
    header: "Version",
    cell: ({ semver, updateAvailable }) => (
      <>
        <span className="mono">{semver}</span>{" "}
        {updateAvailable && <span className="badge warn">outdated</span>}
      </>
    ),
  },
  { header: "Updated", cell: ({ updatedAt }) => <Time value={updatedAt} /> },
];
