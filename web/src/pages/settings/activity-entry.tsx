import type { AuditEntry } from "../../api/account/account.ts";
import { sentenceOf, sentenceText } from "../../parts/audit/text/sentence.ts";
import { Time } from "../../parts/text/time.tsx";

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** One entry of the log. It opens to its details. */
export function ActivityEntry({ entry }: { entry: AuditEntry }) {
  const sentence = sentenceText(sentenceOf(entry)).replace(/^./, (letter) => letter.toUpperCase());
  return (
    <details className="entry">
      <summary>
        <span className="clip">
          <bdi>{sentence}</bdi>
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
