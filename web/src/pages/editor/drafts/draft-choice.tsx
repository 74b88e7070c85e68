import { Button } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { Time } from "../../../parts/text/time.tsx";
import type { Draft } from "./draft.ts";
import { findDrafts, holdDraft, isDraftFree, newDraftId, removeDraft, whenDraftFree } from "./drafts.ts";

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
    const controller = new AbortController();
    void offerDrafts(owner, skill, controller.signal, setWaiting);
    return () => controller.abort();
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

/**
 * Offers the drafts that no tab holds: now, and again when a tab leaves one. A page that is reloaded may come before
 * the end of the earlier one.
 */
async function offerDrafts(
  owner: string,
  skill: string,
  signal: AbortSignal,
  offer: (drafts: Draft[]) => void,
): Promise<void> {
  const awaited = new Set<string>();
  const list = async () => {
    const { free, held } = await findDrafts(owner, skill);
    if (signal.aborted) return;
    offer(free);
    for (const id of held) {
      if (awaited.has(id)) continue;
      awaited.add(id);
      void whenDraftFree(id, signal).then(() => {
        awaited.delete(id);
        return list();
      });
    }
  };
  await list();
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
    <Note tone="accent">
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

export function Note({
  tone,
  role,
  children,
}: {
  tone: "accent" | "warn";
  role?: string;
  children: ReactNode;
}) {
  return (
    <div className={`note ${tone} bar-note`} role={role}>
      {children}
    </div>
  );
}
