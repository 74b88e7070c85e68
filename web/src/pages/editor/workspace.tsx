import "./editor.css";
import { Tabs } from "@mantine/core";
import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from "react";
import { useKeys } from "../../parts/keys.ts";
import { ChecksPanel, KeyHelpRow } from "./checks-panel.tsx";
import type { Problem } from "./checks.ts";
import { CodeEditor } from "./code/code-editor.tsx";
import type { KeyAtCursor } from "./code/frontmatter-keys.ts";
import { DropZone } from "./files/drop-zone.tsx";
import { FileDialogs, type FileDialog } from "./files/file-dialogs.tsx";
import { FileList, type FileActions } from "./files/file-list.tsx";
import { FilePane } from "./files/file-pane.tsx";
import type { Workspace } from "./use-workspace.ts";
import { countChanges, type WorkFile } from "./working-set.ts";

const Changes = lazy(async () => ({ default: (await import("./compare/changes.tsx")).Changes }));
const Preview = lazy(async () => ({ default: (await import("./preview.tsx")).Preview }));

/** A tab with another version, which is opened when it appears. */
export interface Comparison {
  label: string;
  content: ReactNode;
}

interface Props {
  title: string;
  workspace: Workspace;
  /** Notes above the files. */
  notes: ReactNode;
  /** First tab next to the preview. */
  details?: ReactNode;
  comparison?: Comparison;
  /** Which phrases find the published version. */
  foundBy?: ReactNode;
  publishPanel: ReactNode;
  onPublish: () => void;
  onDropped: (files: WorkFile[]) => void;
}

/** Files, the editor with its checks, and next to it the preview, the changes and the publish form. */
export function WorkspaceView({ title, workspace, notes, publishPanel, ...rest }: Props) {
  const { files, base, file, rootPath, problems, change, openFile, editor } = workspace;
  const [dialog, setDialog] = useState<FileDialog>();
  const [keyHelp, setKeyHelp] = useState<KeyAtCursor>();
  const goTo = useCallback(
    (problem: Problem) => {
      if (problem.path !== undefined) openFile(problem.path);
      // The file is opened first.
      setTimeout(() => editor.current?.goTo(problem.line), 50);
    },
    [openFile, editor],
  );
  useKeys({ "mod+Enter": rest.onPublish });
  const actions: FileActions = {
    onOpen: openFile,
    onAdd: () => setDialog({ kind: "add" }),
    onRename: (path) => setDialog({ kind: "rename", path }),
    onRemove: (path) => {
      if (base?.files.some((one) => one.path === path)) change({ kind: "remove", path });
      else setDialog({ kind: "remove", path });
    },
    onRestore: (one) => change({ kind: "restore", file: one }),
    onReset: (path) => change({ kind: "reset", path }),
    onMode: (path, mode) => change({ kind: "mode", path, mode }),
  };
  return (
    <div className="editor">
      <h1 className="visually-hidden">{title}</h1>
      <section className="file-pane" aria-label="Files">
        <FileList files={files} base={base} path={file?.path ?? ""} rootPath={rootPath} {...actions} />
        <DropZone onFiles={rest.onDropped} />
      </section>
      <section className="text-pane" aria-label="Editor">
        {notes}
        <EditorPane workspace={workspace} onKeyAtCursor={setKeyHelp} onPublish={rest.onPublish} />
        <KeyHelpRow help={keyHelp} />
        <ChecksPanel problems={problems} onGoTo={goTo} />
      </section>
      <div className="side-pane">
        <SideTabs
          workspace={workspace}
          details={rest.details}
          comparison={rest.comparison}
          foundBy={rest.foundBy}
        />
        {publishPanel}
      </div>
      <FileDialogs dialog={dialog} workspace={workspace} onClose={() => setDialog(undefined)} />
    </div>
  );
}

function EditorPane({
  workspace,
  onKeyAtCursor,
  onPublish,
}: {
  workspace: Workspace;
  onKeyAtCursor: (key: KeyAtCursor | undefined) => void;
  onPublish: () => void;
}) {
  const { file, text, revision, problems, editor, onText } = workspace;
  const isText = typeof text === "string";
  // The editor stays while another kind of file is shown: it has the undo history of the texts.
  const [last, setLast] = useState<{ path: string; revision: number; text: string }>();
  if (isText && file && (last?.path !== file.path || last.revision !== revision))
    setLast({ path: file.path, revision, text });
  const path = last?.path;
  const own = useMemo(() => problems.filter((problem) => problem.path === path), [problems, path]);
  return (
    <>
      <div className="code-editor-box" hidden={!isText}>
        {last && (
          <CodeEditor
            ref={editor}
            {...last}
            problems={own}
            onText={onText}
            onKeyAtCursor={onKeyAtCursor}
            onPublish={onPublish}
          />
        )}
      </div>
      {!isText && <FilePane workspace={workspace} />}
    </>
  );
}

function SideTabs({
  workspace,
  details,
  comparison,
  foundBy,
}: Pick<Props, "workspace" | "details" | "comparison" | "foundBy">) {
  const { files, base, reader, file, text } = workspace;
  const label = comparison?.label;
  const [tab, setTab] = useState<string | null>(label ? "theirs" : details ? "details" : "preview");
  const [shown, setShown] = useState(label);
  if (label !== shown) {
    setShown(label);
    setTab(label ? "theirs" : "changes");
  }
  return (
    <Tabs value={tab} onChange={setTab} keepMounted={false} className="side-tabs">
      <Tabs.List aria-label="Side view">
        {details !== undefined && <Tabs.Tab value="details">Details</Tabs.Tab>}
        <Tabs.Tab value="preview">Preview</Tabs.Tab>
        {base && (
          <Tabs.Tab value="changes">
            Changes <span className="counter">{countChanges(files, base)}</span>
          </Tabs.Tab>
        )}
        {foundBy !== undefined && <Tabs.Tab value="found-by">Found by</Tabs.Tab>}
        {comparison && <Tabs.Tab value="theirs">{comparison.label}</Tabs.Tab>}
      </Tabs.List>
      {details !== undefined && <Tabs.Panel value="details">{details}</Tabs.Panel>}
      <Tabs.Panel value="preview">
        {typeof text === "string" && file && /\.(?:md|mdc|markdown)$/i.test(file.path) ? (
          <Suspense>
            <Preview path={file.path} text={text} files={files} addressOf={reader.addressOf} />
          </Suspense>
        ) : (
          <p className="preview sub">Open a Markdown file for its preview.</p>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="changes">
        <Suspense>
          <Changes files={files} base={base} readBase={reader.read} />
        </Suspense>
      </Tabs.Panel>
      {foundBy !== undefined && <Tabs.Panel value="found-by">{foundBy}</Tabs.Panel>}
      {comparison && <Tabs.Panel value="theirs">{comparison.content}</Tabs.Panel>}
    </Tabs>
  );
}
