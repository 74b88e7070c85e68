import type { AuditEntry } from "../../api/account.ts";
import { Time } from "../../parts/time.tsx";

/** `skill.version_created` as `Skill: version created`. */
function labelOf(action: string): string {
  const [group = "", rest = ""] = action.split(".");
  const words = (text: string) => text.replaceAll("_", " ");
  return `${words(group).replace(/^./, (letter) => letter.toUpperCase())}: ${words(rest)}`;
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** Name of what an entry is about, where its details have one. */
function subjectOf({ metadata }: AuditEntry): string | undefined {
  const name = ["slug", "name", "path", "email", "username"].map((key) => metadata[key]).find(Boolean);
  return typeof name === "string" ? name : undefined;
}

/** One entry of the log. It opens to its details. */
export function ActivityEntry({ entry }: { entry: AuditEntry }) {
  const subject = subjectOf(entry);
  return (
    <details className="entry">
      <summary>
        <span className="clip">
          {labelOf(entry.action)} {subject !== undefined && <bdi className="dim">{subject}</bdi>}
        </span>
        <Time value={entry.createdAt} className="meta" />
      </summary>
      <dl className="fact-list facts">
        <dt>Event</dt>
        <dd className="mono">{entry.action}</dd>
        <dt>Of</dt>
        <dd className="mono">
          {entry.resourceType} {entry.resourceId}
        </dd>
        {Object.entries(entry.metadata).map(([key, value]) => (
          <div key={key} style={{ display: "contents" }}>
            <dt>{key}</dt>
            <dd>
              <bdi>{textOf(value)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
