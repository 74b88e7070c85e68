import { Button } from "@mantine/core";
import { useRef } from "react";
import { noAuditFilter, type AuditEntry, type AuditFilter } from "../../../api/organization/audit.ts";
import { useFilterKey } from "../../filter-key.ts";
import type { Organization } from "../../page/organization-page.tsx";
import { subjectOf } from "../text/sentence.ts";
import { ActionPicker } from "./action-picker.tsx";
import { PersonPicker } from "./person-picker.tsx";
import { ResourcePicker } from "./resource-picker.tsx";
import { SavedFilters } from "./saved-filters.tsx";
import { TextFilter } from "./text-filter.tsx";
import { TimeRange } from "./time-range.tsx";

interface Props {
  filter: AuditFilter;
  /** The organization whose log it is; without one, it is the log of the service. */
  organization?: Organization;
  /** The entries that are shown, for the names of what is filtered by. */
  entries: readonly AuditEntry[];
  /** `replace`: without an entry in the browser's history. */
  onFilter: (part: AuditFilter, replace?: boolean) => void;
}

/** Filters of a log, which the address of the page has. */
export function AuditFilters({ filter, organization, entries, onFilter }: Props) {
  const first = useRef<HTMLInputElement>(null);
  const change = (part: AuditFilter) => onFilter(part, true);
  useFilterKey(first);
  const isFiltered = Object.entries(filter).some(([key, value]) => key !== "page" && value !== undefined);
  return (
    <div className="stack gap-3">
      <div className="filters">
        <ActionPicker
          field={first}
          isService={organization === undefined}
          value={filter.action}
          onChange={(action) => change({ action })}
        />
        {organization ? (
          <PersonPicker
            organization={organization}
            value={filter.actor}
            label={entries.find(({ actor }) => actor.id === filter.actor)?.actor.name}
            onChange={(actor) => change({ actor })}
          />
        ) : (
          <TextFilter
            label="Actor"
            placeholder="user name or id"
            value={filter.actor}
            onChange={(actor) => change({ actor })}
          />
        )}
        {organization ? (
          <ResourcePicker
            organization={organization}
            value={filter.resource}
            label={resourceLabel(entries, filter.resource)}
            onChange={(resource) => change({ resource })}
          />
        ) : (
          <TextFilter
            label="Resource"
            placeholder="id"
            value={filter.resource}
            onChange={(resource) => change({ resource })}
          />
        )}
        <TimeRange filter={filter} onChange={change} />
      </div>
      <div className="row wrap">
        {organization && <SavedFilters organizationId={organization.id} filter={filter} onApply={onFilter} />}
        {isFiltered && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onFilter(noAuditFilter)}>
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

function resourceLabel(entries: readonly AuditEntry[], id: string | undefined): string | undefined {
  const entry = entries.find(({ resourceId }) => resourceId === id);
  return entry && subjectOf(entry);
}
