import { Button } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { endOtherSessions, endSession, sessionsQuery, type Session } from "../../api/account.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { itemsOf } from "../../parts/lists/found.ts";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { SettingsPage } from "./frame.tsx";
import { SecondFactors } from "./second-factors.tsx";

export const Route = createFileRoute("/settings/security")({ component: SecurityPage });

function SecurityPage() {
  return (
    <SettingsPage title="Security" about="Where you are signed in, and how a sign-in is proved.">
      {() => (
        <>
          <SecondFactors />
          <Sessions />
        </>
      )}
    </SettingsPage>
  );
}

function Sessions() {
  const found = useInfiniteQuery(sessionsQuery);
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const endOne = useMutation({ mutationFn: endSession, onSettled: refresh });
  const endOthers = useMutation({ mutationFn: endOtherSessions, onSettled: refresh });
  const sessions = itemsOf(found);
  const others = sessions.filter(({ current }) => !current).length;
  return (
    <section className="panel" aria-labelledby="sessions-heading">
      <header>
        <h2 id="sessions-heading" className="grow">
          Sessions
        </h2>
        {others > 0 && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            End other sessions
          </Button>
        )}
      </header>
      <Problem error={endOne.error} />
      <PagedList inPanel found={found} items={sessions} rows={2} rowHeight={44} more="Show more" empty={null}>
        <SessionTable sessions={sessions} onEnd={(id) => endOne.mutate(id)} />
      </PagedList>
      {isAsking && (
        <ConfirmDialog
          title="End all other sessions?"
          action="End other sessions"
          isDangerous
          run={() => endOthers.mutateAsync()}
          onClose={() => setAsking(false)}
        >
          <p className="sub">
            Every other browser is signed out at once. This session stays, and so do your tokens.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function SessionTable({ sessions, onEnd }: { sessions: Session[]; onEnd: (id: string) => void }) {
  return (
    <table className="tbl">
      <caption className="sr">Your sessions, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Last seen</th>
          <th scope="col" className="hide-s">
            Signed in
          </th>
          <th scope="col">
            <span className="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id} data-current={session.current}>
            <td>
              {session.client ?? "Unknown browser"}{" "}
              {session.current && <span className="badge acc">This session</span>}
            </td>
            <td>
              <Time value={session.lastSeenAt} />
            </td>
            <td className="hide-s">
              <Time value={session.createdAt} />
            </td>
            <td className="right">
              {!session.current && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`End the session of ${session.client ?? "an unknown browser"}`}
                  onClick={() => onEnd(session.id)}
                >
                  End
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
