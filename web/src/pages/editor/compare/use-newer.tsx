import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { Skill } from "../../../api/skills/skills.ts";
import { openBase } from "../base-reader.ts";
import { Note, type OpenDraft } from "../drafts/draft-choice.tsx";
import type { Draft } from "../drafts/draft.ts";
import { newerVersion, type usePublish } from "../publish/use-publish.ts";
import type { Workspace } from "../use-workspace.ts";
import type { Comparison } from "../workspace.tsx";
import { carryOverFiles } from "./carry-over.ts";
import { StaleNote, TheirChanges } from "./stale.tsx";

interface Options {
  skill: Skill;
  refText: string;
  run: ReturnType<typeof usePublish>;
  workspace: Workspace;
  draft: OpenDraft;
  record: Omit<Draft, "base" | "savedAt">;
  onDraft: (draft: OpenDraft) => void;
}

/** Compares with a version that became current concurrently, and applies the edit to it. */
export function useNewer(options: Options): {
  note: ReactNode;
  comparison: Comparison | undefined;
} {
  const { skill, refText, run, workspace, draft, record, onDraft } = options;
  const client = useQueryClient();
  const { reader } = workspace;
  const base = reader.base!;
  const [isComparing, setComparing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const refused = run.state.kind === "failed" ? newerVersion(run.state.error) : undefined;
  const isCurrent = skill.currentVersion === base.version;
  const newer =
    refused ?? (isCurrent ? undefined : { version: skill.currentVersion, semver: skill.currentSemver });
  if (!newer) return { note: <ConflictNote conflicts={draft.conflicts ?? []} />, comparison: undefined };
  const carry = async () => {
    setBusy(true);
    try {
      const target = await openBase(client, refText, newer.version, skill.type);
      const { files, conflicts } = await carryOverFiles(workspace.takeFiles(), reader, target);
      const continued = { ...record, files, base: newer, savedAt: Date.now() };
      onDraft({ id: draft.id, continued, conflicts });
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return {
    note: (
      <>
        {failure !== "" && <Note tone="warn">{failure}</Note>}
        <StaleNote
          newer={newer}
          isComparing={isComparing}
          isBusy={isBusy}
          onCompare={() => setComparing(true)}
          onContinue={() => void carry()}
        />
      </>
    ),
    comparison: isComparing
      ? {
          label: "Their changes",
          content: <TheirChanges skill={refText} from={base.version} to={newer.version} />,
        }
      : undefined,
  };
}

function ConflictNote({ conflicts }: { conflicts: string[] }) {
  if (conflicts.length === 0) return null;
  return (
    <Note tone="warn" role="alert">
      <span>
        Both sides changed the same lines of {conflicts.join(", ")}. Your text is kept and would replace
        theirs: look at Changes before you publish.
      </span>
    </Note>
  );
}
