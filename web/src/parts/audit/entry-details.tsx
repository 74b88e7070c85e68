import { Button } from "@mantine/core";
import { Fragment } from "react";
import type { AuditEntry, AuditFilter } from "../../api/organization/audit.ts";

/** Everything that an entry records, and filters by its parts. */
export function EntryDetails({
  entry,
  onFilter,
}: {
  entry: AuditEntry;
  onFilter: (part: AuditFilter) => void;
}) {
  const { actor, action, resourceType, resourceId, ip, createdAt, metadata } = entry;
  const facts: [string, string][] = [
    ["Time", createdAt],
    ["Event", action],
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
          onClick={() => onFilter({ actor: actor.type === "user" ? actor.name : (actor.id ?? actor.name) })}
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
