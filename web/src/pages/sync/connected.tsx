import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import {
  syncConflictsQuery,
  syncRunsQuery,
  type Connection,
  type SyncState,
} from "../../api/organization/sync.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { Failed } from "../../parts/states/failed.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Conflict } from "./conflict/conflict.tsx";
import { ConnectionFacts } from "./connection-facts.tsx";
import { ConnectionProblem } from "./connection-problem.tsx";
import { History } from "./history.tsx";
import { NextSync } from "./next-sync.tsx";
import { SkillProblems } from "./skill-problems.tsx";
import { Status } from "./status.tsx";

interface Props {
  org: string;
  state: SyncState;
  connection: Connection;
  canManage: boolean;
  runError: Error | null;
}

/** The state of a connection, what needs a person, and its history. */
export function Connected({ org, state, connection, canManage, runError }: Props) {
  const client = useQueryClient();
  const conflicts = useInfiniteQuery(syncConflictsQuery(org));
  const { lastSyncAt } = connection;
  const seen = useRef(lastSyncAt);
  // A sync has ended: it may have added a run and conflicts.
  useEffect(() => {
    if (seen.current === lastSyncAt) return;
    seen.current = lastSyncAt;
    void client.invalidateQueries({ queryKey: syncRunsQuery(org).queryKey });
    void client.invalidateQueries({ queryKey: syncConflictsQuery(org).queryKey });
  }, [client, org, lastSyncAt]);
  const open = itemsOf(conflicts);
  return (
    <>
      <p className="sub">
        <Repository connection={connection} /> on <span className="mono">{connection.branch}</span>. Changes
        go both ways; where both sides changed, the repository&rsquo;s content wins and nothing is lost.
      </p>
      <Problem error={runError} />
      <Status state={state} connection={connection} />
      <div className="sync-columns">
        <div className="stack gap-4">
          {connection.problem && (
            <ConnectionProblem org={org} connection={connection} canManage={canManage} />
          )}
          {conflicts.isError && <Failed error={conflicts.error} reset={() => void conflicts.refetch()} />}
          {open.map((conflict, index) => (
            <Conflict
              key={conflict.id}
              org={org}
              conflict={conflict}
              canManage={canManage}
              position={`${index + 1} of ${open.length}${conflicts.hasNextPage ? " or more" : ""}`}
            />
          ))}
          <SkillProblems problems={state.skillProblems} />
          <NextSync org={org} />
          <History org={org} />
        </div>
        <ConnectionFacts org={org} state={state} connection={connection} canManage={canManage} />
      </div>
    </>
  );
}

/** A link only for addresses of the web: a bare repository on the service's machine has none. */
function Repository({ connection: { repository, url } }: { connection: Connection }) {
  if (!url.startsWith("https://")) return <span className="mono">{repository}</span>;
  return (
    <a className="mono" href={url} rel="noopener noreferrer">
      {repository}
    </a>
  );
}
