import { Button, Group, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { deleteAccount } from "../../api/account.ts";
import type { Identity } from "../../api/session.ts";
import { fieldError, Form, Problem } from "../../parts/form.tsx";
import { wrongPassword } from "./email-form.tsx";

export function DeleteAccount({ identity }: { identity: Identity }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="panel" aria-labelledby="delete-heading">
      <header>
        <h2 id="delete-heading">Delete account</h2>
      </header>
      <div className="body stack g3">
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
        <DeletionForm username={identity.username} onClose={() => setOpen(false)} />
      </Modal>
    </section>
  );
}

function DeletionForm({ username, onClose }: { username: string; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const remove = useMutation({ mutationFn: deleteAccount, onSuccess: () => location.assign("/") });
  const wrong = wrongPassword(remove.error);
  return (
    <Form
      label="Delete account"
      error={remove.error}
      onSubmit={({ password = "" }) => typed === username && remove.mutate(password)}
    >
      <ul className="plain-list">
        <li>Removed: your name and address, sessions, tokens, installs and memberships.</li>
        <li>Stays: skills and versions that you published, with your user name in their history.</li>
        <li>It can't be restored.</li>
      </ul>
      {!wrong && <Problem error={remove.error} fields={["password"]} />}
      <TextInput
        label={`Type ${username} to confirm`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="current-password"
        required
        error={wrong ?? fieldError(remove.error, "password")}
      />
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" color="danger" disabled={typed !== username} loading={remove.isPending}>
          Delete account
        </Button>
      </Group>
    </Form>
  );
}
