import { Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { centralQuery, changeCentral } from "../../api/connectors.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { Organization } from "../../parts/organization-page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";

/** Whether members may use the organization's remote MCP servers by hosted connectors. */
export function HostedConnectors({ organization: { slug } }: { organization: Organization }) {
  const client = useQueryClient();
  const { data, error, refetch, isPending } = useQuery(centralQuery(slug));
  const [isAsking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (enabled: boolean) => changeCentral(slug, enabled),
    onSuccess: (saved) => client.setQueryData(centralQuery(slug).queryKey, saved),
  });
  const { connectors: used = 0, calls = 0, servers = [] } = data?.usage ?? {};
  const connected = servers.filter(({ connectors }) => connectors > 0).length;
  return (
    <section className="stack g3" style={{ maxWidth: 520 }} aria-labelledby="central-heading">
      <h2 id="central-heading">Hosted connectors</h2>
      {isPending && <SkeletonRows rows={1} height={44} />}
      <Problem error={error} retry={() => void refetch()} />
      {data && (
        <Switch
          label="Members may connect to remote MCP servers through this service"
          description="The service keeps each member's credentials, encrypted, and calls the servers for their agents."
          checked={data.enabled}
          disabled={change.isPending}
          onChange={(event) => {
            if (event.currentTarget.checked) change.mutate(true);
            else setAsking(true);
          }}
        />
      )}
      {data && (
        <p className="meta">
          {used === 0
            ? "No one has a connector to a server of this organization."
            : `${countOf(used, "connector")} to ${countOf(connected, "server")}, ${countOf(calls, "call")} in the last 7 days.`}
        </p>
      )}
      <Problem error={change.error} />
      {isAsking && (
        <ConfirmDialog
          title="Turn hosted connectors off?"
          action="Turn off"
          isDangerous
          run={() => change.mutateAsync(false)}
          onClose={() => setAsking(false)}
        >
          <p>
            Agents lose the tools of the organization&apos;s servers at once. Credentials stay encrypted until
            their owners delete them, so that connectors work again if you turn them on. Servers that members
            have installed on their machines are not affected.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
