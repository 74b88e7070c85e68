import { Button } from "@mantine/core";
import { Upload } from "lucide-react";
import { useEffect, useState } from "react";
import type { Problem } from "../checks.ts";
import type { DraftState } from "../drafts/use-draft.ts";
import type { Workspace } from "../use-workspace.ts";

/**
 * Publishes the text as it is at the moment: what was typed just now is taken over and checked first. With errors, it
 * goes to the first one instead.
 */
export function usePublishRequest(workspace: Workspace, publish: () => void) {
  const { flush, problems, isChecked, openFile, editor } = workspace;
  const [isWanted, setWanted] = useState(false);
  const error = problems.find(({ severity }) => severity === "error");
  useEffect(() => {
    if (!isWanted || !isChecked) return;
    // The checks of what was typed are complete only in a later rendering than the request.
    // oxlint-disable-next-line react/set-state-in-effect
    setWanted(false);
    if (!error) {
      publish();
      return;
    }
    if (error.path !== undefined) openFile(error.path);
    setTimeout(() => editor.current?.goTo(error.line), 50);
  }, [isWanted, isChecked, error, publish, openFile, editor]);
  const request = () => {
    flush();
    setWanted(true);
  };
  return { request, error };
}

interface Props {
  label: string;
  error: Problem | undefined;
  /** Why nothing can be published, other than by errors. */
  reason: string;
  isBusy: boolean;
  onPublish: () => void;
}

/** Stays focusable while it is disabled, so that its reason can be reached. */
export function PublishButton({ label, error, reason, isBusy, onPublish }: Props) {
  const why = error ? `${error.message} Select to go there.` : reason;
  return (
    <>
      {why !== "" && (
        <span id="publish-reason" className="meta clip publish-reason" title={why}>
          {why}
        </span>
      )}
      <Button
        size="xs"
        leftSection={<Upload size={14} />}
        loading={isBusy}
        aria-disabled={why !== "" || undefined}
        className="publish"
        aria-describedby={why === "" ? undefined : "publish-reason"}
        aria-keyshortcuts="Control+Enter"
        onClick={() => {
          if (reason === "" || error) onPublish();
        }}
      >
        {label}
      </Button>
    </>
  );
}

export function DraftMark({ state }: { state: DraftState }) {
  if (state === "none") return null;
  return (
    <span className="meta row hidden-on-phones nowrap" role="status">
      <span className={`dot ${state === "saved" ? "ok" : "warn"}`} />
      {state === "saved" ? "Draft kept in this browser" : "This browser keeps no drafts"}
    </span>
  );
}
