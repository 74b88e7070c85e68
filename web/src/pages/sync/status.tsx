import { ArrowDownToLine, GitPullRequest } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { Connection, SyncState } from "../../api/organization/sync.ts";
import { iconProps } from "../../parts/icon.ts";
import { relativeTime } from "../../parts/text/dates.ts";
import { Time } from "../../parts/text/time.tsx";

/** One sentence about the sync, then one about each direction. */
export function Status({ state, connection }: { state: SyncState; connection: Connection }) {
  const { tone, sentence } = sentenceOf(connection);
  return (
    <div className="sync-status">
      <div role="status">
        <span className="row">
          <span className={`dot ${tone}`} />
          <b>{sentence}</b>
        </span>
        <span className="meta">{detailOf(connection)}</span>
      </div>
      <div>
        <span className="row">
          <ArrowDownToLine {...iconProps} />
          <b>From the repository</b>
        </span>
        <span className="meta">
          {connection.lastCommit ? (
            <>
              Read up to <code className="mono">{connection.lastCommit.slice(0, 7)}</code>
              {connection.lastSyncAt && (
                <>
                  , <Time value={connection.lastSyncAt} />
                </>
              )}
              .
            </>
          ) : (
            "Nothing has been read yet."
          )}
        </span>
      </div>
      <div>
        <span className="row">
          <GitPullRequest {...iconProps} />
          <b>To the repository</b>
        </span>
        <span className="meta">
          <Outgoing state={state} connection={connection} />
        </span>
      </div>
    </div>
  );
}

function sentenceOf({ status, pending }: Connection): { tone: string; sentence: string } {
  if (status === "blocked") return { tone: "danger", sentence: "Blocked until a person acts" };
  if (status === "disconnecting") return { tone: "warn", sentence: "Being disconnected" };
  if (status === "failing") return { tone: "warn", sentence: "Failing, and retried automatically" };
  if (pending) return { tone: "accent", sentence: "A sync is running" };
  return { tone: "ok", sentence: "Connected and current" };
}

function detailOf({ status, pending, retryAt, notified, lagMs, lastLagMs }: Connection): string {
  if (status === "failing" && retryAt) return `The next attempt is ${relativeTime(retryAt)}.`;
  if (status === "blocked") return "It continues after the next change, or when you sync by hand.";
  if (pending && lagMs !== null && lagMs > longLagMs)
    return `Changes have waited for ${seconds(lagMs)}. You can leave this page: the sync goes on.`;
  if (pending) return "You can leave this page: the sync goes on.";
  const heard = notified
    ? "The host reports pushes at once."
    : "The branch is checked every few minutes, since the host reports no pushes.";
  return lastLagMs === null ? heard : `${heard} The last change took ${seconds(lastLagMs)}.`;
}

/** Time after which the page says how long changes have waited. */
const longLagMs = 60_000;

const seconds = (ms: number) =>
  ms < 90_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : `${Math.round(ms / 60_000)} min`;

function Outgoing({ state, connection }: { state: SyncState; connection: Connection }) {
  const { proposal, syncedSkills } = state;
  if (connection.mode === "pull_request" && proposal) {
    const count = countText(proposal.skills, "skill");
    if (proposal.state === "open" && proposal.url?.startsWith("https://"))
      return (
        <>
          <a href={proposal.url} rel="noopener noreferrer">
            Pull request #{proposal.number}
          </a>{" "}
          is open with {count}.
        </>
      );
    return <>{proposal.message}</>;
  }
  if (connection.mode === "pull_request") return <>Changes are proposed with a pull request.</>;
  return <>{countText(syncedSkills, "skill is", "skills are")} on the branch.</>;
}
