import "./audit.css";
import { Pagination } from "@mantine/core";
import { auditPageSize, type AuditFilter, type AuditPage } from "../../api/organization/audit.ts";
import { Problem } from "../problem.tsx";
import { SkeletonRows } from "../skeleton-rows.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { Entries } from "./entries.tsx";

/** Entries that the service pages through. */
const reach = 10_000;

interface Props {
  log: {
    data: AuditPage | undefined;
    error: unknown;
    isPending: boolean;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  filter: AuditFilter;
  /** Whether the entries have reasons, which then have a column. */
  hasReasons?: boolean;
  /** Changes the filter; without a page, the first one is shown. */
  onFilter: (part: AuditFilter, replace?: boolean) => void;
}

/** A log with its filters, a page of its entries, and the number of those that match. */
export function AuditLog({ log, filter, hasReasons = false, onFilter }: Props) {
  const pages = Math.ceil(Math.min(log.data?.total ?? 0, reach) / auditPageSize);
  return (
    <div className="audit stack gap-4">
      <AuditFilters
        filter={filter}
        onFilter={onFilter}
        example={hasReasons ? "user.suspended, job.*" : undefined}
      />
      <section className="stack gap-3" aria-label="Entries">
        <Problem error={log.error} retry={() => void log.refetch()} />
        {log.isPending && <SkeletonRows height={40} />}
        {log.data && (
          <>
            <p className="meta" aria-live="polite">
              {log.data.total.toLocaleString("en")}
              {log.data.totalIsExact ? "" : " or more"} {log.data.total === 1 ? "entry" : "entries"}
            </p>
            {log.data.entries.length > 0 ? (
              <div data-dimmed={log.isPlaceholderData}>
                <Entries entries={log.data.entries} hasReasons={hasReasons} onFilter={onFilter} />
              </div>
            ) : (
              <p className="sub">No entry matches. Remove a filter, or choose a longer time range.</p>
            )}
          </>
        )}
        {pages > 1 && (
          <Pagination
            total={pages}
            value={filter.page ?? 1}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
            getItemProps={(page) => ({ "aria-label": `Page ${page}` })}
            onChange={(page) => onFilter({ page })}
          />
        )}
      </section>
    </div>
  );
}
