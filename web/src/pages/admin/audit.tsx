import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { serviceLogExport, serviceLogQuery } from "../../api/admin.ts";
import { readAuditFilter, type AuditFilter } from "../../api/organization/audit.ts";
import { AuditLog } from "../../parts/audit/audit-log.tsx";
import { ExportMenu } from "../../parts/audit/export-menu.tsx";
import { AdminPage } from "./admin-page.tsx";

export const Route = createFileRoute("/admin/audit")({
  validateSearch: readAuditFilter,
  component: ServiceLogPage,
});

function ServiceLogPage() {
  const filter = Route.useSearch();
  return (
    <AdminPage
      title="Audit log"
      about="Actions of administrators with their reasons, of the last 90 days, newest first."
      actions={<ExportMenu addressOf={(format) => serviceLogExport(filter, format)} />}
    >
      <Log filter={filter} />
    </AdminPage>
  );
}

function Log({ filter }: { filter: AuditFilter }) {
  const navigate = useNavigate({ from: Route.fullPath });
  const log = useQuery(serviceLogQuery(filter));
  return (
    <AuditLog
      log={log}
      filter={filter}
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
