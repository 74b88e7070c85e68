import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { auditExport, auditQuery, readAuditFilter, type AuditFilter } from "../../api/organization/audit.ts";
import { AuditLog } from "../../parts/audit/audit-log.tsx";
import { ExportMenu } from "../../parts/audit/export-menu.tsx";
import { OrganizationPage, type Organization } from "../../parts/page/organization-page.tsx";

export const Route = createFileRoute("/$org/-/audit")({
  validateSearch: readAuditFilter,
  component: AuditPage,
});

function AuditPage() {
  const { org } = Route.useParams();
  const filter = Route.useSearch();
  return (
    <OrganizationPage
      org={org}
      title="Audit log"
      permission={["auditLog", "read"]}
      renderActions={() => <ExportMenu addressOf={(format) => auditExport(org, filter, format)} />}
    >
      {(organization) => (
        <div className="page audit stack gap-4">
          <h1>Audit log</h1>
          <p className="sub">Recorded actions of the last 90 days, newest first.</p>
          <Log organization={organization} filter={filter} />
        </div>
      )}
    </OrganizationPage>
  );
}

function Log({ organization, filter }: { organization: Organization; filter: AuditFilter }) {
  const { org } = Route.useParams();
  const navigate = useNavigate({ from: Route.fullPath });
  const log = useQuery(auditQuery(org, filter));
  return (
    <AuditLog
      log={log}
      filter={filter}
      organization={organization}
      onFilter={(part, replace = false) =>
        void navigate({
          search: (old) => ({ ...old, page: undefined, entry: undefined, ...part }),
          replace,
          resetScroll: !replace,
        })
      }
    />
  );
}
