import { Button } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { Time } from "../../../parts/time.tsx";
import { holdDraft, isDraftFree, listDrafts, newDraftId, removeDraft, type Draft } from "./drafts.ts";

/** The draft that this tab writes, and the one that it continues. */
export interface OpenDraft {
  id: string;
  continued: Draft | undefined;
  /** Files of which the edit replaces changes of a newer version. */
  conflicts?: string[];
}

/** Drafts of a skill that wait to be continued, and the one that is open in this tab. */
export function useDrafts(owner: string, skill: string) {
  const [open, setOpen] = useState<OpenDraft>(() => ({ id: newDraftId(), continued: undefined }));
  const [waiting, setWaiting] = useState<Draft[]>([]);
  useEffect(() => {
    void listDrafts(owner, skill).then(setWaiting);
  }, [owner, skill]);
  const { id } = open;
  useEffect(() => {
    const controller = new AbortController();
    holdDraft(id, controller.signal);
    return () => controller.abort();
  }, [id]);
  const drop = (draft: Draft) => setWaiting((old) => old.filter((one) => one.id !== draft.id));
  const resume = async (draft: Draft) => {
    // If another tab has continued it, this one works on a copy.
    setOpen({ id: (await isDraftFree(draft.id)) ? draft.id : newDraftId(), continued: draft });
    drop(draft);
  };
  const discard = async (draft: Draft) => {
    drop(draft);
    await removeDraft(draft.id);
  };
  return { open, setOpen, waiting, resume, discard };
}

interface NoteProps {
  draft: Draft | undefined;
  onResume: (draft: Draft) => void;
  onDiscard: (draft: Draft) => void;
}

/** Offers the latest draft that was left behind. */
export function DraftNote({ draft, onResume, onDiscard }: NoteProps) {
  const [isSure, setSure] = useState(false);
  if (!draft) return null;
  return (
    <Note tone="acc">
      <span className="grow">
        You have an unpublished draft from <Time value={new Date(draft.savedAt).toISOString()} />
        {draft.base && `, based on version ${draft.base.semver}`}.
      </span>
      <Button size="xs" variant="default" onClick={() => onResume(draft)}>
        Continue
      </Button>
      <Button
        size="xs"
        variant={isSure ? "filled" : "subtle"}
        color={isSure ? "danger" : "gray"}
        onClick={() => (isSure ? onDiscard(draft) : setSure(true))}
        onBlur={() => setSure(false)}
      >
        {isSure ? "Discard permanently" : "Discard"}
      </Button>
    </Note>
  );
}

export function Note({ tone, role, children }: { tone: "acc" | "warn"; role?: string; children: ReactNode }) {
  return (
    <div className={`note ${tone} bar-note`} role={role}>
      {children}
    </div>
  );
}
