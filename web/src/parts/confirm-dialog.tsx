import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode, type SyntheticEvent } from "react";
import { Problem } from "./problem.tsx";

interface Props {
  title: string;
  /** Label of the button that confirms. */
  action: string;
  /** Text that has to be typed first, such as a slug. */
  phrase?: string;
  isDangerous?: boolean;
  run: () => Promise<unknown>;
  onClose: () => void;
  /** Text about the effect of the action, and whether it can be undone. */
  children: ReactNode;
}

/** Asks before an action. *Cancel* has the focus, and a failure is shown in the dialog, which stays open. */
export function ConfirmDialog({ title, action, phrase, isDangerous, run, onClose, children }: Props) {
  const [typed, setTyped] = useState("");
  const confirm = useMutation({ mutationFn: run, onSuccess: onClose });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (phrase === undefined || typed.trim() === phrase) confirm.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form className="stack g4" onSubmit={submit}>
        <div className="stack g3">{children}</div>
        {phrase !== undefined && (
          <TextInput
            label={
              <>
                Type <b className="mono">{phrase}</b> to confirm
              </>
            }
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Problem error={confirm.error} />
        <div className="row wrap end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={isDangerous ? "danger" : "ink"}
            loading={confirm.isPending}
            disabled={phrase !== undefined && typed.trim() !== phrase}
          >
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
