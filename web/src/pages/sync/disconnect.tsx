import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { disconnectRepository, syncQuery, type Connection } from "../../api/sync.ts";

/** Asks for the organization's slug, since connecting again needs credentials and a full sync. */
export function Disconnect({
  org,
  connection,
  onClose,
}: {
  org: string;
  connection: Connection;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const disconnect = useMutation({ mutationFn: () => disconnectRepository(org) });
  const finish = () => {
    void client.invalidateQueries({ queryKey: syncQuery(org).queryKey });
    onClose();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (typed === org)
      disconnect.mutate(undefined, { onSuccess: ({ webhook }) => webhook !== "left" && finish() });
  };
  if (disconnect.data?.webhook === "left")
    return <WebhookLeft repository={connection.repository} onClose={finish} />;
  return (
    <Modal opened onClose={onClose} title="Disconnect the repository">
      <form className="stack g4" onSubmit={submit}>
        <Consequences repository={connection.repository} />
        <TextInput
          label={
            <>
              Type <b className="mono">{org}</b> to confirm
            </>
          }
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {disconnect.error && (
          <p className="danger" role="alert">
            {disconnect.error.message}
          </p>
        )}
        <div className="row wrap">
          <Button variant="default" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="danger" loading={disconnect.isPending} disabled={typed !== org}>
            Disconnect
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function Consequences({ repository }: { repository: string }) {
  return (
    <ul className="sync-consequences">
      <li>Removed: the webhook, the kept credentials, and the state of the sync.</li>
      <li>
        Stays: all files in <span className="mono">{repository}</span>, and all skills and versions here.
      </li>
      <li>You can connect the repository again. Equal content then needs no changes.</li>
    </ul>
  );
}

function WebhookLeft({ repository, onClose }: { repository: string; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Disconnected">
      <p>
        The host could not be reached, so its webhook is still there. Remove it in the settings of{" "}
        <span className="mono">{repository}</span>. This service ignores what it sends.
      </p>
      <Button mt="md" onClick={onClose}>
        Close
      </Button>
    </Modal>
  );
}
