import { Button, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { scimOutcomes } from "../../../../contract/vocabulary.ts";
import { scimLogQuery, type ScimLogEntry, type ScimLogFilter } from "../../api/organization/scim.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { SearchField } from "../../parts/lists/search-field.tsx";
import { Time } from "../../parts/text/time.tsx";

const tones: Partial<Record<ScimLogEntry["outcome"], string>> = {
  changed: "ok",
  refused: "warn",
  failed: "danger",
};

interface Props {
  org: string;
  filter: ScimLogFilter;
  onFilter: (part: ScimLogFilter) => void;
}

/** Requests of the identity provider, newest first. */
export function Log({ org, filter, onFilter }: Props) {
  const found = useInfiniteQuery({ ...scimLogQuery(org, filter), staleTime: 0 });
  return (
    <ListSection
      label="Log"
      found={found}
      filter={
        <>
          <p className="sub">
            Requests of the identity provider in the last seven days, newest first. If a person is missing
            here, they are not assigned in the identity provider.
          </p>
          <Filters filter={filter} found={found} onFilter={onFilter} />
        </>
      }
      empty={
        filter.query !== undefined || filter.outcome !== undefined
          ? "No request matches. Remove a filter."
          : "No request has arrived yet. Test the connection in your identity provider."
      }
    >
      {(entries) => (
        <DataTable
          caption="Requests of the identity provider"
          className="align-top"
          columns={columns}
          rows={entries}
          keyOf={({ id }) => id}
        />
      )}
    </ListSection>
  );
}

interface FiltersProps {
  filter: ScimLogFilter;
  found: { isRefetching: boolean; refetch(): unknown };
  onFilter: (part: ScimLogFilter) => void;
}

function Filters({ filter: { query, outcome }, found, onFilter }: FiltersProps) {
  return (
    <div className="row wrap">
      <SearchField
        label="Find requests"
        placeholder="Name, path or reason"
        value={query}
        onChange={(next) => onFilter({ query: next })}
      />
      <Select
        aria-label="Outcome"
        placeholder="All outcomes"
        w={160}
        clearable
        clearButtonProps={{ "aria-label": "All outcomes" }}
        data={[...scimOutcomes]}
        value={outcome ?? null}
        onChange={(next) => onFilter({ outcome: next ?? undefined })}
      />
      <Button
        variant="default"
        leftSection={<RotateCw size={14} />}
        loading={found.isRefetching}
        onClick={() => void found.refetch()}
      >
        Refresh
      </Button>
    </div>
  );
}

const columns: Column<ScimLogEntry>[] = [
  {
    header: "Time",
    isHiddenOnPhones: true,
    className: "meta nowrap",
    cell: ({ at }) => <Time value={at} />,
  },
  { header: "Request", className: "wrap-text", cell: (entry) => <Request entry={entry} /> },
  {
    header: "Outcome",
    cell: ({ outcome, status, count }) => (
      <>
        <span className={`badge ${tones[outcome] ?? ""}`}>{outcome}</span>{" "}
        <span className="meta mono">{status}</span>
        {count !== undefined && <span className="meta block">{count.toLocaleString("en")} times</span>}
      </>
    ),
  },
];

function Request({ entry }: { entry: ScimLogEntry }) {
  const { at, method, path, subject, changes = [], ignored = [], detail } = entry;
  return (
    <>
      {subject?.name !== undefined && <b className="block">{subject.name}</b>}
      <span className="mono block">
        {method} {path}
      </span>
      {changes.length > 0 && <span className="block">{changes.join(", ")}</span>}
      {ignored.length > 0 && <span className="meta block">ignored: {ignored.join(", ")}</span>}
      {detail !== undefined && <span className="block">{detail}</span>}
      <span className="meta block only-on-phones">
        <Time value={at} />
      </span>
    </>
  );
}
