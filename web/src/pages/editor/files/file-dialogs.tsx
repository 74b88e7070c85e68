import { Button, Group, Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { PackageError, checkPackagePaths } from "../../../../../contract/checks/package-rules.ts";
import { leftOutByName } from "../../../../../contract/package/leave-out.ts";
import { leftOutSentence } from "../../../../../contract/package/left-out.ts";
import type { Workspace } from "../use-workspace.ts";

export type FileDialog =
  | { kind: "add" }
  | { kind: "rename"; path: string }
  | { kind: "remove"; path: string };

interface Props {
  dialog: FileDialog | undefined;
  workspace: Workspace;
  onClose: () => void;
}

export function FileDialogs({ dialog, workspace, onClose }: Props) {
  const titles = { add: "New file", rename: "Rename or move", remove: "Remove file" };
  return (
    <Modal opened={dialog !== undefined} onClose={onClose} title={dialog && titles[dialog.kind]}>
      {dialog?.kind === "remove" && <RemoveForm path={dialog.path} workspace={workspace} onClose={onClose} />}
      {dialog && dialog.kind !== "remove" && (
        <PathForm dialog={dialog} workspace={workspace} onClose={onClose} />
      )}
    </Modal>
  );
}

function PathForm({
  dialog,
  workspace,
  onClose,
}: Props & { dialog: Exclude<FileDialog, { kind: "remove" }> }) {
  const old = dialog.kind === "rename" ? dialog.path : "";
  const [path, setPath] = useState(old);
  const [error, setError] = useState("");
  const { files, change, openFile } = workspace;
  const submit = () => {
    const to = path.trim().replace(/^\/+/, "");
    const others = files.map((file) => file.path).filter((one) => one !== old);
    if (others.includes(to)) {
      setError(`${to} exists. Choose another path.`);
      return;
    }
    const leftOut = leftOutByName(to);
    if (leftOut) {
      setError(`${leftOutSentence([leftOut])} Choose another path.`);
      return;
    }
    try {
      checkPackagePaths([...others, to]);
    } catch (failure) {
      if (!(failure instanceof PackageError)) throw failure;
      setError(failure.message);
      return;
    }
    if (dialog.kind === "rename") change({ kind: "rename", path: old, to });
    else change({ kind: "add", files: [{ path: to, mode: "100644", data: "" }] });
    openFile(to);
    onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextInput
        data-autofocus
        label="Path"
        description="Folders are made by slashes, as in scripts/check.py"
        value={path}
        error={error || undefined}
        onChange={(event) => setPath(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit">{dialog.kind === "rename" ? "Rename" : "Create file"}</Button>
      </Group>
    </form>
  );
}

function RemoveForm({
  path,
  workspace,
  onClose,
}: {
  path: string;
  workspace: Workspace;
  onClose: () => void;
}) {
  return (
    <>
      <p>
        <b className="mono">{path}</b> was never published. Its content can&apos;t be restored.
      </p>
      <Group justify="flex-end" mt="md">
        <Button variant="default" data-autofocus onClick={onClose}>
          Cancel
        </Button>
        <Button
          color="danger"
          onClick={() => {
            workspace.change({ kind: "remove", path });
            onClose();
          }}
        >
          Remove
        </Button>
      </Group>
    </>
  );
}
