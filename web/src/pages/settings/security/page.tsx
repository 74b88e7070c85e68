import { Button } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { endOtherSessions, endSession, sessionsQuery, type Session } from "../../../api/account/account.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { actionsColumn, DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { itemsOf } from "../../../parts/lists/found.ts";
import { ListSection } from "../../../parts/lists/list-section.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { SettingsPage } from "../frame.tsx";
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
  const others = itemsOf(found).filter(({ current }) => !current).length;
  return (
    <>
      <ListSection
        inPanel
        title="Sessions"
        aside={
          others > 0 && (
            <Button size="xs" variant="default" onClick={() => setAsking(true)}>
              End other sessions
            </Button>
          )
        }
        filter={<Problem error={endOne.error} />}
        found={found}
        rows={2}
        rowHeight={44}
      >
        {(sessions) => (
          <DataTable
            inPanel
            caption="Your sessions, newest first"
            columns={columnsOf((id) => endOne.mutate(id))}
            rows={sessions}
            keyOf={({ id }) => id}
            isChosen={({ current }) => current}
          />
        )}
      </ListSection>
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
    </>
  );
}

const columnsOf = (onEnd: (id: string) => void): Column<Session>[] => [
  {
    header: "Browser",
    cell: ({ client, current }) => (
      <>
        {client ?? "Unknown browser"} {current && <span className="badge accent">This session</span>}
      </>
    ),
  },
  { header: "Last seen", cell: ({ lastSeenAt }) => <Time value={lastSeenAt} /> },
  { header: "Signed in", isHiddenOnPhones: true, cell: ({ createdAt }) => <Time value={createdAt} /> },
  actionsColumn(
    ({ id, client, current }) =>
      !current && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`End the session of ${client ?? "an unknown browser"}`}
          onClick={() => onEnd(id)}
        >
          End
        </Button>
      ),
  ),
];
