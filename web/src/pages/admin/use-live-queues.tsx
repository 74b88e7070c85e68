import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { identityQuery } from "../../api/account/session.ts";
import { queuesQuery, type Queue } from "../../api/admin.ts";
import { watchPointer } from "../../live/refetch.ts";
import { useStable } from "../../parts/use-stable.ts";
import { listen, type LiveState } from "./live.ts";

const texts: Record<LiveState, string> = {
  connecting: "Connecting…",
  live: "Live",
  polling: "Not live: the figures are updated every few seconds.",
  trouble: "Not live: the queue does not respond. The figures are old.",
  away: "Not live: the service does not respond. The figures are old.",
  ended: "Not live: your session has ended. Sign in again.",
};
/** Changes of a burst are read together. */
const collectMs = 700;

export interface LiveQueues {
  queues: Queue[] | undefined;
  error: unknown;
  state: LiveState;
}

/**
 * The queues, kept up to date. Lists of jobs are read again when the queue that they show changes, but not while the
 * pointer is in use on one, whose rows would move under it.
 */
export function useLiveQueues(): LiveQueues {
  const client = useQueryClient();
  const isAdministrator = useQuery(identityQuery).data?.isAdministrator === true;
  const [state, setState] = useState<LiveState>("connecting");
  const read = useStable(() => client.fetchQuery({ ...queuesQuery, staleTime: 0, retry: false }));
  useEffect(() => {
    if (!isAdministrator) return undefined;
    let marks: Record<string, string> | undefined;
    let isFirst = true;
    const jobs = openJobRefetcher((changed) => {
      // A list of all queues has no queue in its key.
      const isShown = (queue: string | undefined) => queue === undefined || changed.has(queue);
      void client.invalidateQueries({
        predicate: ({ queryKey: [path, params] }) =>
          (path === "/api/admin/jobs" || path === "/api/admin/jobs/{queue}/{id}") &&
          isShown((params as { queue?: string }).queue),
      });
    });
    const stop = listen({
      state(next) {
        setState(next);
        if (next === "ended") void client.invalidateQueries({ queryKey: identityQuery.queryKey });
      },
      queues(next, nextMarks) {
        client.setQueryData(queuesQuery.queryKey, next);
        const isSame = (name: string) => nextMarks !== undefined && marks?.[name] === nextMarks[name];
        const changed = next.map(({ name }) => name).filter((name) => !isSame(name));
        marks = nextMarks;
        if (!isFirst) jobs.note(changed);
        isFirst = false;
      },
      poll: read,
    });
    return () => {
      stop();
      jobs.close();
    };
  }, [client, isAdministrator, read]);
  const { data, error } = useQuery({ ...queuesQuery, enabled: isAdministrator });
  return { queues: data, error, state };
}

/** Collects changed queues, and passes them on when the pointer rests. */
function openJobRefetcher(refetch: (changed: ReadonlySet<string>) => void) {
  const pointer = watchPointer();
  let changed = new Set<string>();
  let timer: number | undefined;
  const apply = () => {
    timer = undefined;
    if (pointer.isOnList()) {
      timer = window.setTimeout(apply, collectMs);
      return;
    }
    refetch(changed);
    changed = new Set();
  };
  return {
    note(names: string[]) {
      if (names.length === 0) return;
      for (const name of names) changed.add(name);
      timer ??= window.setTimeout(apply, collectMs);
    },
    close() {
      clearTimeout(timer);
      pointer.close();
    },
  };
}

/** Whether the figures are current, in a word or a sentence. */
export function LiveStatus({ state }: { state: LiveState }) {
  const isLive = state === "live";
  return (
    <p className="live row" role="status" data-state={state}>
      <span className={`dot ${isLive ? "ok" : state === "connecting" ? "" : "warn"}`} aria-hidden="true" />
      <span className={isLive ? "meta" : ""}>{texts[state]}</span>
    </p>
  );
}
