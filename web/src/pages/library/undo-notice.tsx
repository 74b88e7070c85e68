import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";

/** Time for which a change can be taken back. */
const undoMs = 8000;

let latest: { id: string; undo: () => void } | undefined;

/** Says what was changed, and offers to take it back: by its button, or by `undoLatest`. */
export function showUndo(id: string, text: ReactNode, undo: () => void): void {
  latest = { id, undo };
  notifications.show({
    id,
    autoClose: undoMs,
    onClose: () => {
      if (latest?.id === id) latest = undefined;
    },
    message: (
      <span className="row between">
        <span className="clip">{text}</span>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </span>
    ),
  });
}

/** Takes the latest change back while its notice is shown. */
export function undoLatest(): void {
  if (!latest) return;
  const { id, undo } = latest;
  latest = undefined;
  notifications.hide(id);
  undo();
}
