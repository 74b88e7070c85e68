import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { installsQuery, installSummaryQuery } from "../../../api/skills/skill-settings.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { installLine } from "../../../parts/copy/shell.ts";
import { itemsOf, useNextPage } from "../../../parts/lists/found.ts";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { useSkillAddress } from "../context.ts";
import { Problem, TabProblem } from "../tab-failed.tsx";
import { readInstallsSearch } from "./choose.ts";
import { InstallList } from "./list.tsx";
import { InstalledVersions } from "./versions.tsx";

export const Route = createFileRoute("/$org/$slug/installs")({
  validateSearch: readInstallsSearch,
  errorComponent: TabProblem,
  component: Installs,
});

/** Pages that are loaded without being asked for, so that filters and the export are about all of them. */
const pageBatchSize = 20;

function Installs() {
  const { org, slug, ref } = useSkillAddress();
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const found = useInfiniteQuery(installsQuery(ref));
  const summary = useQuery(installSummaryQuery(ref));
  const pages = found.data?.pages.length ?? 0;
  useNextPage(found, pages > 0 && pages < pageBatchSize);
  if (found.isPending || summary.isPending) return <SkeletonRows />;
  if (found.error && !found.data) return <Problem error={found.error} retry={() => void found.refetch()} />;
  const installs = itemsOf(found);
  if (installs.length === 0)
    return (
      <section className="tab-content stack gap-3">
        <h2>No member has installed this skill</h2>
        <p className="sub">Installs with svc appear here while a member is signed in.</p>
        <Command text={installLine(org, slug)} />
      </section>
    );
  return (
    <section className="tab-content stack gap-6" aria-label="Installs">
      {summary.data && <InstalledVersions summary={summary.data} />}
      <InstallList
        installs={installs}
        found={found}
        search={search}
        onSearch={(part) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true })}
      />
    </section>
  );
}
