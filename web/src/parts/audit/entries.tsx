import { Button } from "@mantine/core";
import { ChevronDown, ChevronRight } from "lucide-react";
import { Fragment, useState } from "react";
import type { AuditEntry, AuditFilter } from "../../api/organization/audit.ts";
import { DataTable, type Column } from "../lists/data-table.tsx";
import { Time } from "../time.tsx";

interface Props {
  entries: AuditEntry[];
  hasReasons: boolean;
  onFilter: (part: AuditFilter) => void;
}

/** A page of the log. A row expands to everything that was recorded. */
export function Entries({ entries, hasReasons, onFilter }: Props) {
  const [open, setOpen] = useState<string>();
  return (
    <DataTable
      caption="Entries of the audit log"
      columns={[toggleColumn(open, setOpen), ...columns, ...(hasReasons ? [reasonColumn] : [])]}
      rows={entries}
      keyOf={({ id }) => id}
      isOpen={({ id }) => id === open}
      renderDetails={(entry) => <Details entry={entry} onFilter={onFilter} />}
    />
  );
}

const toggleColumn = (
  open: string | undefined,
  setOpen: (id: string | undefined) => void,
): Column<AuditEntry> => ({
  header: "Details",
  isHeaderHidden: true,
  cell: ({ id, action }) => (
    <button
      type="button"
      className="toggle"
      aria-expanded={open === id}
      aria-label={`Details of ${action}`}
      onClick={() => setOpen(open === id ? undefined : id)}
    >
      {open === id ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
    </button>
  ),
});

const columns: Column<AuditEntry>[] = [
  { header: "Time", className: "meta nowrap", cell: ({ createdAt }) => <Time value={createdAt} /> },
  { header: "Actor", cell: ({ actor }) => actor.name },
  { header: "Action", className: "mono", cell: ({ action }) => action },
  { header: "Resource", isHiddenOnPhones: true, className: "clip", cell: (entry) => labelOf(entry) },
];
const reasonColumn: Column<AuditEntry> = {
  header: "Reason",
  isHiddenOnPhones: true,
  className: "clip",
  cell: ({ metadata: { reason } }) => (typeof reason === "string" ? reason : ""),
};

/** Kinds of resources whose ids are names. */
const named = new Set(["queue", "service"]);

/** The name that was recorded, or the kind of resource. */
function labelOf({ resourceType, resourceId, metadata }: AuditEntry): string {
  const name = ["path", "slug", "name", "email", "username", "job"]
    .map((key) => metadata[key])
    .find((one) => typeof one === "string");
  if (typeof name === "string") return `${resourceType} ${name}`;
  return named.has(resourceType) ? `${resourceType} ${resourceId}` : resourceType;
}

function Details({ entry, onFilter }: { entry: AuditEntry; onFilter: (part: AuditFilter) => void }) {
  const { actor, action, resourceType, resourceId, ip, createdAt, metadata } = entry;
  const facts: [string, string][] = [
    ["Time", createdAt],
    ["Actor", `${actor.name} (${actor.type}${actor.id === null ? "" : `, ${actor.id}`})`],
    ["Resource", `${resourceType} ${resourceId}`],
    ...(ip === undefined ? [] : [["Network (hashed)", ip] as [string, string]]),
    ...Object.entries(metadata).map(([key, value]): [string, string] => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ];
  return (
    <div className="stack gap-3">
      <dl className="facts">
        {facts.map(([term, value]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd className="mono">{value}</dd>
          </Fragment>
        ))}
      </dl>
      <div className="row wrap">
        <Button size="compact-sm" variant="default" onClick={() => onFilter({ resource: resourceId })}>
          Only this resource
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onFilter({ actor: actor.id ?? actor.name })}
        >
          Only this actor
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onFilter({ action })}>
          Only this action
        </Button>
      </div>
    </div>
  );
}
