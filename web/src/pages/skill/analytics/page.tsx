import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { may, organizationQuery } from "../../../api/account/session.ts";
import { skillAnalyticsQuery } from "../../../api/skills/skills.ts";
import { Downloads } from "../../../parts/downloads/downloads.tsx";
import { daysOf, readDownloadsSearch } from "../../../parts/downloads/search.ts";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { useSkillAddress } from "../context.ts";
import { Problem, TabProblem } from "../tab-failed.tsx";
import { Adoption } from "./adoption.tsx";
import { SkillTeams } from "./teams.tsx";
import { VersionTable } from "./version-table.tsx";

export const Route = createFileRoute("/$org/$slug/analytics")({
  validateSearch: readDownloadsSearch,
  errorComponent: TabProblem,
  component: Analytics,
});

function Analytics() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const days = daysOf(search);
  const { org, slug, ref } = useSkillAddress();
  const { data: organization } = useQuery(organizationQuery(org));
  const found = useQuery({ ...skillAnalyticsQuery(ref, days), placeholderData: keepPreviousData });
  if (found.isError) return <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <SkeletonRows />;
  const { versions } = found.data;
  return (
    <section className="tab-content stack gap-6" aria-label="Downloads" data-dimmed={found.isPlaceholderData}>
      <Downloads
        search={search}
        onSearch={(part) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true })}
        analytics={found.data}
        name={slug}
      />
      <Adoption days={days} />
      {organization && may(organization.permissions, "member", "read") && <SkillTeams />}
      {versions.length > 0 && <VersionTable versions={versions} days={days} />}
    </section>
  );
}
