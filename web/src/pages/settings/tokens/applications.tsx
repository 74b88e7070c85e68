import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { grantsQuery, revokeGrant } from "../../../api/account/account.ts";
import { AgentConfig } from "../../../parts/copy/agent-config.tsx";
import { Failed } from "../../../parts/states/failed.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { SettingsPage } from "../frame.tsx";
import { GrantTable } from "./grant-table.tsx";

export const Route = createFileRoute("/settings/applications")({ component: ApplicationsPage });

function ApplicationsPage() {
  return (
    <SettingsPage
      title="Applications"
      about="Programs that you gave access, such as coding agents. They act as you."
    >
      {() => (
        <>
          <Applications />
          <ConnectAgent />
        </>
      )}
    </SettingsPage>
  );
}

function Applications() {
  const client = useQueryClient();
  const { data: grants, error, refetch, isPending } = useQuery(grantsQuery);
  const revoke = useMutation({
    mutationFn: revokeGrant,
    onSettled: () => client.invalidateQueries({ queryKey: grantsQuery.queryKey }),
  });
  if (isPending) return <SkeletonRows rows={3} height={64} />;
  if (error) return <Failed error={error} reset={() => void refetch()} />;
  if (grants.length > 0 || revoke.isPending)
    return <GrantTable grants={grants} revoke={(id) => revoke.mutateAsync(id)} />;
  return (
    <section className="panel" aria-label="Applications">
      <div className="body stack gap-3">
        <h2>No applications yet</h2>
        <p className="sub">
          When an agent asks for access, you choose what it may do and where, and it appears here.
        </p>
      </div>
    </section>
  );
}

function ConnectAgent() {
  return (
    <section className="panel" aria-labelledby="connect-agent">
      <div className="body stack gap-3">
        <div>
          <h2 id="connect-agent">Connect an agent</h2>
          <p className="sub">
            Agents find, read and publish skills at <span className="mono">{location.origin}/mcp</span>.
            Choose your client to see what to paste.
          </p>
        </div>
        <AgentConfig />
      </div>
    </section>
  );
}
