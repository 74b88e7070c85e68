import { Button, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { foldersQuery } from "../../../api/account/session.ts";
import { ApiError } from "../../../api/client.ts";
import {
  type AccessDraft,
  type Exposure,
  type Folder,
  type FolderAccess,
  folderAccessQuery,
  invalidateEffective,
  saveAccess,
} from "../../../api/folders.ts";
import { query } from "../../../api/query.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { Conflict } from "../conflict.tsx";
import { Effect } from "./effect.tsx";
import { Grants } from "./grants.tsx";
import { Who } from "./who.tsx";

const isConflict = (error: unknown) => error instanceof ApiError && error.code === "conflict";
const sameAccess = (a: AccessDraft, b: AccessDraft) =>
  JSON.stringify(keysOf(a)) === JSON.stringify(keysOf(b));
const keysOf = ({ restricted, grants }: AccessDraft) => [
  restricted,
  grants.map(({ principal, level }) => `${principal.type} ${principal.id} ${level}`).toSorted(),
];

interface Props {
  org: string;
  folder: Folder;
  access: FolderAccess;
}

/** Saving with the revision that the change is based on, after the effect was confirmed where more people can read. */
function useSave({ org, folder }: Props, onSaved: () => void) {
  const client = useQueryClient();
  const [exposure, setExposure] = useState<Exposure>();
  const queryKey = folderAccessQuery(folder.id).queryKey;
  const write = async (draft: AccessDraft, revision: number) => {
    const saved = await saveAccess(folder.id, draft, revision, false);
    client.setQueryData(queryKey, saved);
    onSaved();
    await Promise.all([
      client.invalidateQueries({ queryKey: foldersQuery(org).queryKey }),
      invalidateEffective(client),
      client.invalidateQueries({ queryKey: query("/api/skills", { tenant_id: org }).queryKey }),
    ]);
  };
  const save = useMutation({
    mutationFn: async ({ draft, revision }: { draft: AccessDraft; revision: number }) => {
      const plan = await saveAccess(folder.id, draft, revision, true);
      if (plan.exposure.widened) setExposure(plan.exposure);
      else await write(draft, revision);
    },
    onError: (error) => {
      if (!isConflict(error)) return;
      void client.invalidateQueries({ queryKey });
      void invalidateEffective(client);
    },
  });
  return { save, write, exposure, forget: () => setExposure(undefined) };
}

/** The user's change, and what it was made to: another member's change is shown next to it. */
interface Edit {
  draft: AccessDraft;
  base: FolderAccess;
}

/** The restriction of a folder and its grants, edited together and saved at once. */
export function AccessEditor(props: Props) {
  const { folder, access } = props;
  const [edit, setEdit] = useState<Edit>();
  const { save, write, exposure, forget } = useSave(props, () => setEdit(undefined));
  const draft: AccessDraft = edit?.draft ?? access;
  const isDirty = edit !== undefined && !sameAccess(edit.draft, edit.base);
  const hasMoved = edit !== undefined && edit.base.revision !== access.revision;
  const { revision } = edit?.base ?? access;
  const change = (next: AccessDraft) => setEdit({ draft: next, base: edit?.base ?? access });
  return (
    <>
      <section className="panel-section stack gap-3" aria-label="Restriction and grants">
        <Switch
          labelPosition="left"
          label="Restrict this folder"
          description="Only people with a grant below, and those who may manage access, can read what is inside."
          checked={draft.restricted}
          disabled={!access.canManage || folder.managed}
          onChange={(event) => change({ ...draft, restricted: event.currentTarget.checked })}
        />
        <Grants
          org={props.org}
          draft={draft}
          isEditable={access.canManage && !folder.managed}
          onChange={change}
        />
        {hasMoved && (
          <Conflict
            theirs={access}
            mine={edit.draft}
            onUseTheirs={() => setEdit(undefined)}
            onKeepMine={() => setEdit({ draft: edit.draft, base: access })}
          />
        )}
        <Problem error={isConflict(save.error) ? null : save.error} />
      </section>
      {access.canManage && (
        <Who subject={{ kind: "folder", id: folder.id }} draft={isDirty ? draft : undefined} />
      )}
      {isDirty && !hasMoved && (
        <SaveBar
          isSaving={save.isPending}
          onDiscard={() => setEdit(undefined)}
          onSave={() => save.mutate({ draft, revision })}
        />
      )}
      {exposure && (
        <ConfirmDialog
          title={`Change who can read ${folder.name}`}
          action="Save and show it to more people"
          isDangerous
          run={() => write(draft, revision)}
          onClose={forget}
        >
          <Effect result={{ exposure }} isLeaving={false} />
        </ConfirmDialog>
      )}
    </>
  );
}

interface SaveBarProps {
  isSaving: boolean;
  onDiscard: () => void;
  onSave: () => void;
}

function SaveBar({ isSaving, onDiscard, onSave }: SaveBarProps) {
  return (
    <div className="save-bar row between" role="region" aria-label="Unsaved access">
      <span className="meta">
        Applies with the next request of everyone. Audit entry{" "}
        <span className="mono">folder.acl_updated</span>.
      </span>
      <span className="row">
        <Button size="xs" variant="default" onClick={onDiscard}>
          Discard
        </Button>
        <Button size="xs" loading={isSaving} onClick={onSave}>
          Save
        </Button>
      </span>
    </div>
  );
}
