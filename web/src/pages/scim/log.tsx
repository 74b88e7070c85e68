import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { scimOutcomes } from "../../../../contract/vocabulary.ts";
import { scimLogQuery, type ScimLogEntry, type ScimLogFilter } from "../../api/organization/scim.ts";
import { Pager, usePages } from "../../parts/lists/pager.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";
import { SearchField } from "./search-field.tsx";

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
  const { query, outcome } = filter;
  const pages = usePages(JSON.stringify(filter));
  const found = useQuery({ ...scimLogQuery(org, filter, pages.cursor), staleTime: 0 });
  const entries = found.data?.data ?? [];
  const isFiltered = query !== undefined || outcome !== undefined;
  return (
    <section className="stack g3" aria-label="Log">
      <p className="sub">
        Requests of the identity provider in the last seven days, newest first. If a person is missing here,
        they are not assigned in the identity provider.
      </p>
      <Filters filter={filter} found={found} onFilter={onFilter} />
      <Problem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={48} />}
      {entries.length > 0 && (
        <div data-dimmed={found.isPlaceholderData}>
          <LogTable entries={entries} />
        </div>
      )}
      {found.isSuccess && entries.length === 0 && (
        <p className="sub">
          {isFiltered
            ? "No request matches. Remove a filter."
            : "No request has arrived yet. Test the connection in your identity provider."}
        </p>
      )}
      <Pager
        pages={pages}
        nextCursor={found.data?.nextCursor}
        isPending={found.isPlaceholderData}
        label="requests"
      />
    </section>
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

function LogTable({ entries }: { entries: ScimLogEntry[] }) {
  return (
    <div className="panel scroll">
      <table className="tbl scim-table">
        <caption className="sr">Requests of the identity provider</caption>
        <thead>
          <tr>
            <th scope="col" className="hide-s">
              Time
            </th>
            <th scope="col">Request</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EntryRow({ entry }: { entry: ScimLogEntry }) {
  const { at, method, path, status, outcome, subject, changes = [], ignored = [], detail, count } = entry;
  return (
    <tr>
      <td className="meta hide-s nowrap">
        <Time value={at} />
      </td>
      <td className="wrap-text">
        {subject?.name !== undefined && <b className="block">{subject.name}</b>}
        <span className="mono block">
          {method} {path}
        </span>
        {changes.length > 0 && <span className="block">{changes.join(", ")}</span>}
        {ignored.length > 0 && <span className="meta block">ignored: {ignored.join(", ")}</span>}
        {detail !== undefined && <span className="block">{detail}</span>}
        <span className="meta show-s">
          <Time value={at} />
        </span>
      </td>
      <td>
        <span className={`badge ${tones[outcome] ?? ""}`}>{outcome}</span>{" "}
        <span className="meta mono">{status}</span>
        {count !== undefined && <span className="meta block">{count.toLocaleString("en")} times</span>}
      </td>
    </tr>
  );
}
