import { Button, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FolderLock, ShieldAlert, Undo2 } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { changeSync, syncQuery, type Connection, type SyncState } from "../../api/organization/sync.ts";
import { iconProps } from "../../parts/icon.ts";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";
import { Disconnect } from "./disconnect.tsx";
import { hostLabels } from "./hosts.ts";

interface Props {
  org: string;
  state: SyncState;
  connection: Connection;
  canManage: boolean;
}

/** Facts of the connection, the rules that surprise, and the end of it. */
export function ConnectionFacts({ org, state, connection, canManage }: Props) {
  const [isAsking, setAsking] = useState(false);
  return (
    <aside className="sync-facts" aria-label="Connection">
      <section>
        <h2>Connection</h2>
        <dl className="fact-list">
          <dt>Host</dt>
          <dd>{hostLabels[connection.host]}</dd>
          <dt>Branch</dt>
          <dd className="mono">{connection.branch}</dd>
          <dt>Writes by</dt>
          <dd>{connection.mode === "push" ? "push" : "pull request"}</dd>
          <dt>In step</dt>
          <dd>{countText(state.syncedSkills, "skill")}</dd>
          <dt>Pushes reported</dt>
          <dd>
            {connection.unreadableDeliveryAt !== null
              ? "not readable: set the content type of the webhook to application/json"
              : connection.notified
                ? "by the host"
                : "no, polled"}
          </dd>
          <dt>Connected by</dt>
          <dd>
            {connection.connectedBy.username}, <Time value={connection.createdAt} />
          </dd>
        </dl>
        {canManage && <Mode org={org} connection={connection} />}
      </section>
      {(canManage || connection.marketplace) && (
        <Marketplace org={org} connection={connection} canManage={canManage} />
      )}
      <Rules connection={connection} />
      {canManage && (
        <section>
          <Button size="xs" variant="outline" color="danger" fullWidth onClick={() => setAsking(true)}>
            Disconnect …
          </Button>
        </section>
      )}
      {isAsking && <Disconnect org={org} connection={connection} onClose={() => setAsking(false)} />}
    </aside>
  );
}

function Mode({ org, connection }: { org: string; connection: Connection }) {
  const client = useQueryClient();
  const next = connection.mode === "push" ? "pull_request" : "push";
  const change = useMutation({
    mutationFn: () => changeSync(org, { mode: next }),
    onSuccess: () => client.invalidateQueries({ queryKey: syncQuery(org).queryKey }),
  });
  return (
    <>
      <Button
        size="xs"
        mt="sm"
        variant="default"
        fullWidth
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {next === "push" ? "Push to the branch instead" : "Propose with pull requests instead"}
      </Button>
      <Problem error={change.error} />
    </>
  );
}

/** Whether the repository is a marketplace itself. */
function Marketplace({ org, connection, canManage }: Pick<Props, "org" | "connection" | "canManage">) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (marketplace: boolean) => changeSync(org, { marketplace }),
    onSuccess: () => client.invalidateQueries({ queryKey: syncQuery(org).queryKey }),
  });
  return (
    <section>
      <h2>Plugin marketplace</h2>
      <Switch
        label="Write marketplace files"
        description={
          "People with access to the repository can add it to Claude Code, Codex, Copilot and Cursor. " +
          "The files are generated, and removed when you turn this off."
        }
        checked={change.isPending ? change.variables : connection.marketplace}
        disabled={!canManage || change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Problem error={change.error} />
    </section>
  );
}

function Rules({ connection: { branch, marketplace } }: { connection: Connection }) {
  return (
    <section>
      <h2>Good to know</h2>
      <ul className="sync-rules">
        <li>
          <ShieldAlert {...iconProps} />
          <span>
            Anyone who can push to <span className="mono">{branch}</span> can change every skill, also those
            in restricted folders. Protect the branch at the host.
          </span>
        </li>
        <li>
          <Undo2 {...iconProps} />
          <span>
            Deleting or moving a skill in the repository does neither here: the next full sync restores it.
          </span>
        </li>
        <li>
          <FolderLock {...iconProps} />
          <span>
            Only <span className="mono">skills/</span>
            {marketplace ? " and the marketplace files are" : " is"} ever written.
          </span>
        </li>
      </ul>
    </section>
  );
}
