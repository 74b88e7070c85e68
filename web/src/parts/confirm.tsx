import { Button, Group, Modal } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { TextInput } from "@mantine/core";
import { ApiError } from "../api/client.ts";

interface Props {
  title: string;
  /** The verb on the button that confirms. */
  action: string;
  isDanger?: boolean;
  /** Text that must be typed before the action is possible. */
  typed?: string;
  /** Effect of the action: changes, things that stay, and whether it can be undone. */
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before an action that others notice. A failure is shown in the dialog, which stays open. */
export function Confirm({ title, action, isDanger = false, typed, children, onConfirm, onClose }: Props) {
  const [text, setText] = useState("");
  const run = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const isReady = typed === undefined || text === typed;
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        className="stack g4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) run.mutate();
        }}
      >
        {children}
        {typed !== undefined && (
          <TextInput
            label={
              <>
                Type <b className="mono">{typed}</b> to confirm
              </>
            }
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {run.isError && (
          <p className="note danger" role="alert">
            {sentenceOf(run.error)}
          </p>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={isDanger ? "danger" : "ink"}
            disabled={!isReady}
            loading={run.isPending}
          >
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

/** The sentence of an error. Without a permission, the API's sentence names the one that is missing. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError && error.requestId !== "") return `${error.message} (${error.requestId})`;
  return error instanceof Error ? error.message : String(error);
}
