import { Button } from "@mantine/core";
import { ChevronDown, ChevronRight } from "lucide-react";
import { Fragment, useState } from "react";
import type { AuditEntry, AuditFilter } from "../../api/organization/audit.ts";
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
    <div className="panel scroll">
      <table className="tbl">
        <caption className="sr">Entries of the audit log</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Details</span>
            </th>
            <th scope="col">Time</th>
            <th scope="col">Actor</th>
            <th scope="col">Action</th>
            <th scope="col" className="hide-s">
              Resource
            </th>
            {hasReasons && (
              <th scope="col" className="hide-s">
                Reason
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Entry
              key={entry.id}
              entry={entry}
              hasReasons={hasReasons}
              isOpen={open === entry.id}
              onToggle={() => setOpen(open === entry.id ? undefined : entry.id)}
              onFilter={onFilter}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface EntryProps extends Pick<Props, "hasReasons" | "onFilter"> {
  entry: AuditEntry;
  isOpen: boolean;
  onToggle: () => void;
}

function Entry({ entry, hasReasons, isOpen, onToggle, onFilter }: EntryProps) {
  const reason = entry.metadata["reason"];
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            className="tw"
            aria-expanded={isOpen}
            aria-label={`Details of ${entry.action}`}
            onClick={onToggle}
          >
            {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
          </button>
        </td>
        <td className="meta nowrap">
          <Time value={entry.createdAt} />
        </td>
        <td>{entry.actor.name}</td>
        <td className="mono">{entry.action}</td>
        <td className="hide-s clip">{labelOf(entry)}</td>
        {hasReasons && <td className="hide-s clip">{typeof reason === "string" ? reason : ""}</td>}
      </tr>
      {isOpen && (
        <tr className="details">
          <td colSpan={hasReasons ? 6 : 5}>
            <Details entry={entry} onFilter={onFilter} />
          </td>
        </tr>
      )}
    </>
  );
}

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
    <div className="stack g3">
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
