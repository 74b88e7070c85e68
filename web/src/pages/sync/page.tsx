import "./sync.css";
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import { may, organizationQuery } from "../../api/account/session.ts";
import { ApiError } from "../../api/client.ts";
import {
  syncConflictsQuery,
  syncQuery,
  syncRunsQuery,
  type SyncConflict,
} from "../../api/organization/sync.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { libraryCrumb } from "../../parts/page/organization-page.tsx";
import { Page } from "../../parts/page/page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { NotFound } from "../../parts/states/not-found.tsx";
import { Conflict } from "./conflict/conflict.tsx";
import { Connected } from "./connected.tsx";
import { History } from "./history.tsx";
import { useRunSync } from "./use-run-sync.ts";
import { Wizard } from "./wizard.tsx";

export const Route = createFileRoute("/$org/-/sync")({
  loader: ({ context, params }) => {
    void context.client.prefetchQuery(syncQuery(params.org));
  },
  component: SyncPage,
});

interface PreviousProps {
  org: string;
  conflicts: SyncConflict[];
  canManage: boolean;
}

function SyncPage() {
  const { org } = Route.useParams();
  const sync = useQuery(syncQuery(org));
  const conflicts = useInfiniteQuery({ ...syncConflictsQuery(org), enabled: sync.isSuccess });
  const { data: organization } = useQuery(organizationQuery(org));
  const run = useRunSync(org);
  const { error } = sync;
  if (error instanceof ApiError && (error.status === 404 || error.status === 401)) return <NotFound />;
  const canManage = organization !== undefined && may(organization.permissions, "githubSync", "manage");
  const connection = sync.data?.connection;
  const isRunning = connection?.pending === true || run.isPending;
  return (
    <Page
      title={titleOf(org, itemsOf(conflicts).length, connection?.status)}
      crumbs={[libraryCrumb(org), { label: "Repository sync" }]}
      actions={
        connection &&
        canManage && (
          <Button
            size="xs"
            leftSection={<RefreshCw size={14} />}
            loading={isRunning}
            onClick={() => run.mutate()}
          >
            Sync now
          </Button>
        )
      }
    >
      <div className="page">
        <h1>Repository sync</h1>
        <Loaded found={sync} rows={4}>
          {(state) =>
            organization &&
            (state.connection ? (
              <Connected
                org={org}
                state={state}
                connection={state.connection}
                canManage={canManage}
                runError={run.error}
              />
            ) : (
              <>
                <NotConnected org={org} hosts={state.hosts} canManage={canManage} />
                <Previous org={org} conflicts={itemsOf(conflicts)} canManage={canManage} />
              </>
            ))
          }
        </Loaded>
      </div>
    </Page>
  );
}

function NotConnected({
  org,
  hosts,
  canManage,
}: {
  org: string;
  hosts: Parameters<typeof Wizard>[0]["hosts"];
  canManage: boolean;
}) {
  if (canManage && hosts.length > 0) return <Wizard org={org} hosts={hosts} />;
  return (
    <Empty title="No repository is connected">
      <p className="sub">
        {canManage
          ? "This service offers no code host. Its operator can set up a GitHub App or local repositories."
          : "Connecting one requires the permission to manage the repository sync, which owners and administrators have."}
      </p>
    </Empty>
  );
}

/** Conflicts of previous connections that wait for a person, and their history. */
function Previous({ org, conflicts, canManage }: PreviousProps) {
  const runs = useInfiniteQuery(syncRunsQuery(org));
  return (
    <>
      {conflicts.map((conflict, index) => (
        <Conflict
          key={conflict.id}
          org={org}
          conflict={conflict}
          canManage={canManage}
          position={`${index + 1} of ${conflicts.length}`}
        />
      ))}
      {itemsOf(runs).length > 0 && <History org={org} />}
    </>
  );
}

function titleOf(org: string, conflicts: number, status: string | undefined): string {
  const title = `Repository sync · ${org}`;
  if (conflicts > 0) return `● ${countText(conflicts, "conflict")} · ${title}`;
  return status === "blocked" || status === "failing" ? `● ${status} · ${title}` : title;
}
