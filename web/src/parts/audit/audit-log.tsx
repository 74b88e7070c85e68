import "./audit.css";
import type { UseQueryResult } from "@tanstack/react-query";
import { auditPageSize, type AuditFilter, type AuditPage } from "../../api/organization/audit.ts";
import { ListSection } from "../lists/list-section.tsx";
import { NumberedPages } from "../lists/numbered-pages.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { Entries } from "./entries.tsx";

interface Props {
  log: UseQueryResult<AuditPage>;
  filter: AuditFilter;
  /** Whether the entries have reasons, which then have a column. */
  hasReasons?: boolean;
  /** Changes the filter; without a page, the first one is shown. */
  onFilter: (part: AuditFilter, replace?: boolean) => void;
}

/** A log with its filters, a page of its entries, and the number of those that match. */
export function AuditLog({ log, filter, hasReasons = false, onFilter }: Props) {
  return (
    <div className="audit stack gap-4">
      <AuditFilters
        filter={filter}
        onFilter={onFilter}
        example={hasReasons ? "user.suspended, job.*" : undefined}
      />
      <ListSection
        label="Entries"
        filter={log.data && <Total {...log.data} />}
        found={log}
        rowHeight={40}
        empty="No entry matches. Remove a filter, or choose a longer time range."
      >
        {(entries) => <Entries entries={entries} hasReasons={hasReasons} onFilter={onFilter} />}
      </ListSection>
      <NumberedPages
        total={log.data?.total}
        pageSize={auditPageSize}
        page={filter.page}
        onPage={(page) => onFilter({ page })}
      />
    </div>
  );
}

const Total = ({ total, totalIsExact }: AuditPage) => (
  <p className="meta" aria-live="polite">
    {total.toLocaleString("en")}
    {totalIsExact ? "" : " or more"} {total === 1 ? "entry" : "entries"}
  </p>
);
