import { Modal, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { DialogForm } from "./dialog-form.tsx";

interface Props<T> {
  title: string;
  /** Label of the button that confirms. */
  action: string;
  /** Text that has to be typed first, such as a slug. */
  phrase?: string;
  isDangerous?: boolean;
  /** False while there is nothing to confirm. */
  isReady?: boolean;
  run: () => Promise<T>;
  /** Called with the result of the action. Without it, the dialog closes. */
  onDone?: (result: T) => void;
  onClose: () => void;
  /** Text about the effect of the action, and whether it can be undone. */
  children: ReactNode;
}

/** Asks before an action. *Cancel* has the focus, and a failure is shown in the dialog, which stays open. */
export function ConfirmDialog<T>({ title, action, phrase, run, onClose, ...props }: Props<T>) {
  const [typed, setTyped] = useState("");
  const confirm = useMutation({ mutationFn: run, onSuccess: props.onDone ?? onClose });
  return (
    <Modal opened onClose={onClose} title={title}>
      <DialogForm
        label={title}
        action={action}
        isDangerous={props.isDangerous ?? false}
        isReady={(props.isReady ?? true) && (phrase === undefined || typed.trim() === phrase)}
        isPending={confirm.isPending}
        isCancelFocused
        error={confirm.error}
        onSubmit={() => confirm.mutate()}
        onClose={onClose}
      >
        <div className="stack gap-3">{props.children}</div>
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
      </DialogForm>
    </Modal>
  );
}
