import { Button } from "@mantine/core";
import { ChevronDown, ChevronRight } from "lucide-react";
import { Fragment, useState } from "react";
import type { AuditEntry, AuditFilter } from "../../api/audit.ts";
import { Time } from "../../parts/time.tsx";

interface Props {
  entries: AuditEntry[];
  onFilter: (part: AuditFilter) => void;
}

/** A page of the log. A row expands to everything that was recorded. */
export function Entries({ entries, onFilter }: Props) {
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
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => {
            const isOpen = open === entry.id;
            return (
              <Fragment key={entry.id}>
                <tr>
                  <td>
                    <button
                      type="button"
                      className="tw"
                      aria-expanded={isOpen}
                      aria-label={`Details of ${entry.action}`}
                      onClick={() => setOpen(isOpen ? undefined : entry.id)}
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
                </tr>
                {isOpen && (
                  <tr className="details">
                    <td colSpan={5}>
                      <Details entry={entry} onFilter={onFilter} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The name that was recorded, or the kind of resource. */
function labelOf({ resourceType, metadata }: AuditEntry): string {
  const name = ["path", "slug", "name", "email"]
    .map((key) => metadata[key])
    .find((one) => typeof one === "string");
  return name === undefined ? resourceType : `${resourceType} ${name}`;
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
