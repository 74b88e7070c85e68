import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import {
  addPasskey,
  passkeyProblem,
  removePasskey,
  renamePasskey,
  type FactorState,
  type Passkey,
} from "../../../api/account/second-factors.ts";
import { ApiError } from "../../../api/client.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { DialogForm } from "../../../parts/forms/dialog-form.tsx";
import { Time } from "../../../parts/text/time.tsx";

interface Props {
  state: FactorState;
  onCodes: (codes: string[]) => void;
}

type Dialog = { kind: "add" } | { kind: "rename" | "remove"; passkey: Passkey };

/** Passkeys of the account: each signs in without the password. */
export function Passkeys({ state: { passkeys, passkeysAvailable }, onCodes }: Props) {
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  return (
    <>
      <div className="choice">
        <div>
          <h3>Passkeys</h3>
          <p className="sub">
            {passkeysAvailable
              ? "Sign in with your fingerprint, face or device PIN, without a password. No other site can ask for it."
              : "Browsers offer passkeys only where the service is reached by a name and https."}
          </p>
        </div>
        {passkeysAvailable && (
          <Button size="xs" variant="default" onClick={() => setDialog({ kind: "add" })}>
            Add a passkey
          </Button>
        )}
      </div>
      {passkeys.length > 0 && (
        <ul className="plain-list passkeys" aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onDialog={setDialog} />
          ))}
        </ul>
      )}
      {dialog?.kind === "add" && <AddPasskey onDone={onCodes} onClose={close} />}
      {dialog?.kind === "rename" && (
        <RenamePasskey passkey={dialog.passkey} onDone={() => onCodes([])} onClose={close} />
      )}
      {dialog?.kind === "remove" && (
        <ConfirmDialog
          title={`Remove the passkey ${dialog.passkey.name}?`}
          action="Remove"
          isDangerous
          run={() => removePasskey(dialog.passkey.id)}
          onDone={() => {
            onCodes([]);
            close();
          }}
          onClose={close}
        >
          <p className="sub">
            It no longer signs in, and your other sessions end. Delete it in your browser or password manager
            too. With your last factor, the recovery codes are removed as well.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function PasskeyRow({ passkey, onDialog }: { passkey: Passkey; onDialog: (dialog: Dialog) => void }) {
  const { name, synced, createdAt, lastUsedAt } = passkey;
  return (
    <li className="choice">
      <div>
        <p className="row">
          <KeyRound className="icon" /> <b className="clip">{name}</b>
          {synced && <span className="badge">Synced</span>}
        </p>
        <p className="meta">
          Added <Time value={createdAt} />.{" "}
          {lastUsedAt ? (
            <>
              Last used <Time value={lastUsedAt} />.
            </>
          ) : (
            "Not used yet."
          )}
        </p>
      </div>
      <div className="row">
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Rename ${name}`}
          onClick={() => onDialog({ kind: "rename", passkey })}
        >
          Rename
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Remove ${name}`}
          onClick={() => onDialog({ kind: "remove", passkey })}
        >
          Remove
        </Button>
      </div>
    </li>
  );
}

interface DialogProps {
  onDone: (codes: string[]) => void;
  onClose: () => void;
}

function AddPasskey({ onDone, onClose }: DialogProps) {
  const add = useMutation({
    mutationFn: addPasskey,
    onSuccess: ({ recoveryCodes }) => {
      onClose();
      onDone(recoveryCodes);
    },
  });
  const error =
    add.error && !(add.error instanceof ApiError) ? new Error(passkeyProblem(add.error)) : add.error;
  return (
    <Modal opened onClose={onClose} title="Add a passkey" closeOnClickOutside={false}>
      <DialogForm
        label="Add a passkey"
        action="Continue"
        isPending={add.isPending}
        error={error}
        onSubmit={({ name = "" }) => add.mutate(name)}
        onClose={onClose}
      >
        <p className="sub">
          Your browser asks where to keep it: on this device, in a password manager or on a key.
        </p>
        <NameField defaultValue="" />
      </DialogForm>
    </Modal>
  );
}

function RenamePasskey({ passkey, onDone, onClose }: DialogProps & { passkey: Passkey }) {
  const rename = useMutation({
    mutationFn: (name: string) => renamePasskey(passkey.id, name),
    onSuccess: () => {
      onClose();
      onDone([]);
    },
  });
  return (
    <Modal opened onClose={onClose} title="Rename the passkey">
      <DialogForm
        label="Rename the passkey"
        action="Rename"
        isPending={rename.isPending}
        error={rename.error}
        onSubmit={({ name = "" }) => rename.mutate(name)}
        onClose={onClose}
      >
        <NameField defaultValue={passkey.name} />
      </DialogForm>
    </Modal>
  );
}

function NameField({ defaultValue }: { defaultValue: string }) {
  return (
    <TextInput
      name="name"
      label="Name"
      description="To recognize it later: the device or manager that keeps it"
      defaultValue={defaultValue}
      maxLength={limits.passkeyName}
      required
      data-autofocus
    />
  );
}
