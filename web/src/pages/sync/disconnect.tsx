import { Button, Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { disconnectRepository, syncQuery, type Connection } from "../../api/organization/sync.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";

interface Props {
  org: string;
  connection: Connection;
  onClose: () => void;
}

/** Asks for the organization's slug, since connecting again needs credentials and a full sync. */
export function Disconnect({ org, connection: { repository }, onClose }: Props) {
  const client = useQueryClient();
  const [isWebhookLeft, setWebhookLeft] = useState(false);
  const finish = () => {
    void client.invalidateQueries({ queryKey: syncQuery(org).queryKey });
    onClose();
  };
  if (isWebhookLeft) return <WebhookLeft repository={repository} onClose={finish} />;
  return (
    <ConfirmDialog
      title="Disconnect the repository"
      action="Disconnect"
      phrase={org}
      isDangerous
      run={() => disconnectRepository(org)}
      onDone={({ webhook }) => (webhook === "left" ? setWebhookLeft(true) : finish())}
      onClose={onClose}
    >
      <Consequences repository={repository} />
    </ConfirmDialog>
  );
}

function Consequences({ repository }: { repository: string }) {
  return (
    <ul className="sync-consequences">
      <li>Removed: the webhook, the kept credentials, and the state of the sync.</li>
      <li>
        Stays: all files in <span className="mono">{repository}</span>, and all skills and versions here, with
        the history of syncs and their conflicts.
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
