import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  addEncryptionKey,
  providersQuery,
  removeEncryptionKey,
  type SsoProvider,
} from "../../../api/organization/sso.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { Time } from "../../../parts/text/time.tsx";

interface Props {
  org: string;
  provider: SsoProvider;
}

const nameOf = (index: number) => (index === 0 ? "current" : "previous");

/** Keys of this service by which the identity provider encrypts assertions. */
export function Encryption({ org, provider }: Props) {
  const { id, encryptionKeys: keys } = provider;
  const [removed, setRemoved] = useState<number>();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: providersQuery(org).queryKey });
  const add = useMutation({
    mutationFn: () => addEncryptionKey(org, id),
    onSuccess: refresh,
  });
  return (
    <section className="panel" aria-labelledby="encryption-heading">
      <header className="row between">
        <h2 id="encryption-heading">Encrypted assertions</h2>
        {keys.length < 2 && (
          <Button size="xs" variant="default" loading={add.isPending} onClick={() => add.mutate()}>
            {keys.length === 0 ? "Add key" : "Replace key"}
          </Button>
        )}
      </header>
      <div className="body stack gap-4">
        <p className="sub">
          {keys.length === 0
            ? "Add a key if the identity provider encrypts assertions. The metadata of this service then has its certificate."
            : "The metadata of this service has the certificate of the current key. Load it at the identity provider again after a change."}
        </p>
        <Problem error={add.error} />
        {keys.map((key, index) => (
          <Key key={key.fingerprint} index={index} value={key} remove={() => setRemoved(index)} />
        ))}
      </div>
      {removed !== undefined && (
        <ConfirmDialog
          title={`Remove ${nameOf(removed)} key`}
          action="Remove key"
          isDangerous
          run={async () => {
            await removeEncryptionKey(org, id, keys[removed]!.fingerprint);
            await refresh();
          }}
          onClose={() => setRemoved(undefined)}
        >
          <p>
            Assertions that are encrypted for this key are refused from now on. This can&apos;t be undone.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

interface KeyProps {
  index: number;
  value: SsoProvider["encryptionKeys"][number];
  remove: () => void;
}

function Key({ index, value: { fingerprint, createdAt }, remove }: KeyProps) {
  return (
    <div className="row between">
      <span className="grow wrap-text">
        {index === 0 ? "Current key" : "Previous key, which still decrypts"}, added <Time value={createdAt} />
        <span className="meta mono block">SHA-256 {fingerprint}</span>
      </span>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-label={`Remove ${nameOf(index)} key`}
        onClick={remove}
      >
        Remove
      </Button>
    </div>
  );
}
