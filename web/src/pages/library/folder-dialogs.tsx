import { Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { foldersQuery } from "../../api/account/session.ts";
import { createFolder, deleteFolder, renameFolder, type Folder } from "../../api/folders.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { fieldError } from "../../parts/forms/form.tsx";

interface NameProps {
  title: string;
  action: string;
  name?: string;
  save: (name: string) => Promise<Folder>;
  org: string;
  onSaved: (folder: Folder) => void;
  onClose: () => void;
}

/** Asks for the name of a folder. */
function NameDialog({ title, action, name = "", save, org, onSaved, onClose }: NameProps) {
  const client = useQueryClient();
  const [text, setText] = useState(name);
  const saving = useMutation({
    mutationFn: () => save(text.trim()),
    onSuccess: async (folder) => {
      await client.invalidateQueries({ queryKey: foldersQuery(org).queryKey });
      onSaved(folder);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={title}>
      <DialogForm
        label={title}
        action={action}
        isReady={text.trim() !== ""}
        isPending={saving.isPending}
        error={saving.error}
        fields={["name"]}
        onSubmit={() => saving.mutate()}
        onClose={onClose}
      >
        <TextInput
          label="Name"
          value={text}
          maxLength={100}
          autoComplete="off"
          data-autofocus
          error={fieldError(saving.error, "name")}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </DialogForm>
    </Modal>
  );
}

type DialogProps = Pick<NameProps, "org" | "onSaved" | "onClose">;

export function NewFolderDialog({ parent, ...rest }: DialogProps & { parent: Folder | undefined }) {
  return (
    <NameDialog
      {...rest}
      title={parent ? `New folder in ${parent.path}` : "New folder"}
      action="Create folder"
      save={async (name) => (await createFolder(rest.org, name, parent?.id ?? null)).folder}
    />
  );
}

export function RenameFolderDialog({ folder, ...rest }: DialogProps & { folder: Folder }) {
  return (
    <NameDialog
      {...rest}
      title={`Rename ${folder.name}`}
      action="Rename"
      name={folder.name}
      save={(name) => renameFolder(folder.id, name)}
    />
  );
}

export function DeleteFolderDialog({ folder, org, onSaved, onClose }: DialogProps & { folder: Folder }) {
  const client = useQueryClient();
  const run = async () => {
    await deleteFolder(folder.id);
    await client.invalidateQueries({ queryKey: foldersQuery(org).queryKey });
    onSaved(folder);
  };
  return (
    <ConfirmDialog
      title={`Delete ${folder.name}`}
      action="Delete folder"
      isDangerous
      run={run}
      onClose={onClose}
    >
      <p>
        The folder <b className="mono">{folder.path}</b> and its grants are removed. This can't be undone.
      </p>
      <p className="sub">
        Only an empty folder can be deleted: move or delete the skills, folders and collections in it first.
      </p>
    </ConfirmDialog>
  );
}
