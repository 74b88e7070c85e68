import { Modal, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { limits } from "../../../../contract/limits.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../parts/forms/form.tsx";

interface Props {
  title: string;
  /** Label of the button that confirms. */
  action: string;
  isDangerous?: boolean;
  /** Who reads the reason. */
  note?: string;
  run: (reason: string) => Promise<unknown>;
  onClose: () => void;
  /** Text about the effect of the action. */
  children: ReactNode;
}

/** Asks for the reason of an action, which is recorded. */
export function ReasonDialog(props: Props) {
  const { title, action, isDangerous = false, run, onClose, children } = props;
  const { note = "Recorded in the log of the service, for administrators." } = props;
  const acting = useMutation({ mutationFn: run, onSuccess: onClose });
  return (
    <Modal opened onClose={onClose} title={title}>
      <DialogForm
        label={title}
        action={action}
        isDangerous={isDangerous}
        isPending={acting.isPending}
        error={acting.error}
        fields={["reason"]}
        onSubmit={({ reason = "" }) => acting.mutate(reason.trim())}
        onClose={onClose}
      >
        <div className="stack gap-3">{children}</div>
        <Textarea
          name="reason"
          label="Reason"
          description={note}
          required
          autosize
          minRows={2}
          maxRows={8}
          maxLength={limits.takedownReason}
          data-autofocus
          error={fieldError(acting.error, "reason")}
        />
      </DialogForm>
    </Modal>
  );
}
