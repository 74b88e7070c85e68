import { Button, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { deleteAccount } from "../../api/account/account.ts";
import type { Identity } from "../../api/account/session.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../parts/forms/form.tsx";
import { endDrafts } from "../editor/drafts/drafts.ts";

interface Props {
  identity: Identity;
  hasPassword: boolean;
}

export function DeleteAccount({ identity, hasPassword }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="panel" aria-labelledby="delete-heading">
      <header>
        <h2 id="delete-heading">Delete account</h2>
      </header>
      <div className="body stack gap-3">
        <p className="sub">
          Removes your account permanently. Skills belong to organizations and stay with them.
        </p>
        <div>
          <Button variant="outline" color="danger" onClick={() => setOpen(true)}>
            Delete account
          </Button>
        </div>
      </div>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete the account ${identity.username}?`}
      >
        <DeletionForm identity={identity} hasPassword={hasPassword} onClose={() => setOpen(false)} />
      </Modal>
    </section>
  );
}

function DeletionForm({ identity, hasPassword, onClose }: Props & { onClose: () => void }) {
  const { id, username } = identity;
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: deleteAccount,
    onSuccess: async () => {
      await endDrafts(id);
      location.assign("/");
    },
  });
  return (
    <DialogForm
      label="Delete account"
      action="Delete account"
      isDangerous
      isReady={typed === username}
      isPending={remove.isPending}
      isCancelFocused
      error={remove.error}
      fields={["password"]}
      onSubmit={({ password = "" }) => remove.mutate(hasPassword ? { password } : {})}
      onClose={onClose}
    >
      <ul className="plain-list">
        <li>Removed: your name and address, sessions, tokens, installs and memberships.</li>
        <li>Stays: skills and versions that you published, with your user name in their history.</li>
        <li>It can't be restored.</li>
      </ul>
      <TextInput
        label={`Type ${username} to confirm`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {hasPassword && (
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          error={fieldError(remove.error, "password")}
        />
      )}
    </DialogForm>
  );
}
