import "./audit.css";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { countText, numberText } from "../../../../contract/text/count-text.ts";
import { may } from "../../api/account/session.ts";
import { auditPageSize, type AuditFilter, type AuditPage } from "../../api/organization/audit.ts";
import { rolesQuery, teamsQuery } from "../../api/organization/people.ts";
import { ListSection } from "../lists/list-section.tsx";
import { NumberedPages } from "../lists/numbered-pages.tsx";
import type { Organization } from "../page/organization-page.tsx";
import { Entries } from "./entries.tsx";
import { AuditFilters } from "./filters/audit-filters.tsx";
import type { Names } from "./text/sentence.ts";

interface Props {
  log: UseQueryResult<AuditPage>;
  filter: AuditFilter;
  /** The organization whose log it is; without one, it is the log of the service, whose entries have reasons. */
  organization?: Organization;
  /** Changes the filter; without a page, the first one is shown, and without an entry, none is open. */
  onFilter: (part: AuditFilter, replace?: boolean) => void;
}

/** A log with its filters, a page of its entries, and the number of those that match. */
export function AuditLog({ log, filter, organization, onFilter }: Props) {
  const names = useNames(organization);
  return (
    <div className="audit stack gap-4">
      <AuditFilters
        filter={filter}
        organization={organization}
        entries={log.data?.entries ?? []}
        onFilter={onFilter}
      />
      <ListSection
        label="Entries"
        filter={log.data && <Total {...log.data} />}
        found={log}
        rowHeight={40}
        empty="No entry matches. Remove a filter, or choose a longer time range."
      >
        {(entries) => (
          <Entries
            entries={entries}
            hasReasons={organization === undefined}
            org={organization?.slug}
            names={names}
            onFilter={onFilter}
            entryId={filter.entry}
            onEntry={(entry) => onFilter({ page: filter.page, entry }, true)}
          />
        )}
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

/** Names of the roles and teams of an organization, if the user may read them. */
function useNames(organization: Organization | undefined): Names {
  const slug = organization?.slug ?? "";
  const enabled = organization !== undefined && may(organization.permissions, "member", "read");
  const roles = useQuery({ ...rolesQuery(slug), enabled });
  const teams = useQuery({ ...teamsQuery(slug), enabled });
  return useMemo(
    () => new Map([...(roles.data ?? []), ...(teams.data ?? [])].map(({ id, name }) => [id, name])),
    [roles.data, teams.data],
  );
}

const Total = ({ total, totalIsExact }: AuditPage) => (
  <p className="meta" aria-live="polite">
    {totalIsExact ? countText(total, "entry", "entries") : `${numberText(total)} or more entries`}
  </p>
);
