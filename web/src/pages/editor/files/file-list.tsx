import { ActionIcon, Menu, TextInput } from "@mantine/core";
import {
  EllipsisVertical,
  FileCode2,
  FileImage,
  FilePlus2,
  FileText,
  FolderOpen,
  Search,
  Undo2,
} from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { iconProps } from "../../../parts/icon.ts";
import {
  removedFiles,
  sizeOfFile,
  statusOf,
  type Base,
  type BaseFile,
  type WorkFile,
} from "../working-set.ts";

export interface FileActions {
  onOpen: (path: string) => void;
  onAdd: () => void;
  onRename: (path: string) => void;
  onRemove: (path: string) => void;
  onRestore: (file: BaseFile) => void;
  onReset: (path: string) => void;
  onMode: (path: string, mode: WorkFile["mode"]) => void;
}

interface Props extends FileActions {
  files: readonly WorkFile[];
  base: Base | undefined;
  /** The file that is open, and the one that may not be renamed or removed. */
  path: string;
  rootPath: string;
}

/** Number of files from which there is a filter. */
const filteredFrom = 12;

/** The files as a tree of at most 500 rows, the main one first, with those that the edit removes. */
export function FileList({ files, base, path, rootPath, ...actions }: Props) {
  const total = files.reduce((sum, file) => sum + sizeOfFile(file, base), 0);
  const removed = removedFiles(files, base);
  const [filter, setFilter] = useState("");
  const words = filter.trim().toLowerCase();
  const shown = files
    .filter((file) => file.path.toLowerCase().includes(words))
    .toSorted((a, b) => Number(b.path === rootPath) - Number(a.path === rootPath));
  return (
    <div className="files">
      <div className="row between files-head">
        <span className="meta">
          {countText(files.length, "file")} · {bytesText(total)}
        </span>
        <ActionIcon variant="subtle" color="gray" aria-label="New file" onClick={actions.onAdd}>
          <FilePlus2 size={16} />
        </ActionIcon>
      </div>
      {files.length >= filteredFrom && (
        <TextInput
          size="xs"
          className="files-filter"
          aria-label="Filter files"
          placeholder="Filter files"
          leftSection={<Search size={14} />}
          value={filter}
          maxLength={200}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <ul aria-label="Files">
        {shown.map((file, index) => (
          <li key={file.path}>
            <Folders path={file.path} before={shown[index - 1]?.path} />
            <FileRow
              file={file}
              base={base}
              isOpen={file.path === path}
              isRoot={file.path === rootPath}
              {...actions}
            />
          </li>
        ))}
        {removed.map((file) => (
          <li key={file.path} className="row">
            <s className="grow mono clip dim">{file.path}</s>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Restore ${file.path}`}
              onClick={() => actions.onRestore(file)}
            >
              <Undo2 size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The folders of a file that the file before it is not in. */
function Folders({ path, before = "" }: { path: string; before: string | undefined }) {
  const folders = path.split("/").slice(0, -1);
  const known = before.split("/").slice(0, -1);
  const shared = folders.findIndex((name, depth) => name !== known[depth]);
  if (shared < 0) return null;
  return folders.slice(shared).map((name, index) => (
    <div
      key={`${shared + index}`}
      className="row meta mono folder"
      style={{ paddingLeft: 8 + 16 * (shared + index) }}
    >
      <FolderOpen size={14} />
      <span className="clip">{name}</span>
    </div>
  ));
}

function FileRow({
  file,
  base,
  isOpen,
  isRoot,
  ...actions
}: FileActions & { file: WorkFile; base: Base | undefined; isOpen: boolean; isRoot: boolean }) {
  const status = statusOf(file, base);
  const depth = file.path.split("/").length - 1;
  const mark = { added: "New", changed: "Changed", removed: "Removed", same: "" }[status];
  return (
    <div className="row file" data-open={isOpen}>
      <button
        type="button"
        className="grow row"
        aria-current={isOpen || undefined}
        style={{ paddingLeft: 8 + 16 * depth }}
        onClick={() => actions.onOpen(file.path)}
      >
        <FileIcon path={file.path} />
        <span className="grow mono clip" title={file.path}>
          {file.path.split("/").at(-1)}
        </span>
        {mark !== "" && (
          <>
            <span className={`dot ${status === "added" ? "ok" : "accent"}`} title={mark} />
            <span className="visually-hidden">{mark}</span>
          </>
        )}
      </button>
      <FileMenu file={file} base={base} isRoot={isRoot} {...actions} />
    </div>
  );
}

function FileMenu({
  file: { path, mode, data },
  base,
  isRoot,
  ...actions
}: FileActions & { file: WorkFile; base: Base | undefined; isRoot: boolean }) {
  const isInBase = base?.files.some((file) => file.path === path) === true;
  const isExecutable = mode === "100755";
  if (isRoot && !isInBase) return null;
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Actions for ${path}`}>
          <EllipsisVertical size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!isRoot && <Menu.Item onClick={() => actions.onRename(path)}>Rename or move</Menu.Item>}
        {!isRoot && (
          <Menu.Item onClick={() => actions.onMode(path, isExecutable ? "100644" : "100755")}>
            {isExecutable ? "Make not executable" : "Make executable"}
          </Menu.Item>
        )}
        {isInBase && (
          <Menu.Item disabled={data === undefined} onClick={() => actions.onReset(path)}>
            Discard changes
          </Menu.Item>
        )}
        {!isRoot && (
          <Menu.Item color="red" onClick={() => actions.onRemove(path)}>
            Remove
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

export const isImage = (path: string): boolean => /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(path);

function FileIcon({ path }: { path: string }) {
  if (isImage(path)) return <FileImage {...iconProps} size={14} />;
  if (/\.(?:md|txt|markdown)$/i.test(path)) return <FileText {...iconProps} size={14} />;
  return <FileCode2 {...iconProps} size={14} />;
}
