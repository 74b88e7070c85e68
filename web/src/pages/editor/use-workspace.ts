import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Fault } from "../../../../contract/checks/skill-rules.ts";
import { readUtf8 } from "../../../../contract/text/text-encoding.ts";
import type { SkillType } from "../../../../contract/vocabulary.ts";
import type { BaseReader } from "./base-reader.ts";
import { checkFiles, rootPathOf } from "./checks.ts";
import type { EditorHandle } from "./code/code-editor.tsx";
import { textOfBlob } from "./files/dropped-files.ts";
import { changeFiles, type FileChange, type WorkFile } from "./working-set.ts";

export interface Start {
  files: WorkFile[];
  message: string;
}

/** Text of a file: undefined while it is read, null for bytes that are not an editable text. */
type Text = string | null | undefined;

/** The files that are being edited, the one that is open, and their checks. */
export function useWorkspace(start: Start, reader: BaseReader, type: SkillType) {
  const { base } = reader;
  const { files, editor, ...edit } = useFiles(start.files, reader);
  const [message, setMessage] = useState(start.message);
  const rootPath = rootPathOf({ files, base, type });
  const [chosen, setChosen] = useState(rootPath);
  const rootFile = files.find(({ path }) => path === rootPath);
  const file = files.find(({ path }) => path === chosen) ?? rootFile ?? files[0];
  const open = useText(file, reader);
  const root = useText(rootFile, reader);
  const rootContent = useContent(rootFile, root, reader);
  const checked = useDeferredValue(useMemo(() => ({ files, text: rootContent }), [files, rootContent]));
  const problems = useMemo(
    () => (checked.text === undefined ? [] : checkFiles({ ...checked, text: checked.text, base, type })),
    [checked, base, type],
  );
  return {
    base,
    type,
    reader,
    files,
    rootPath,
    rootText: root,
    message,
    setMessage,
    change: edit.change,
    takeFiles: edit.takeFiles,
    /** The file that is open. */
    file,
    text: open,
    revision: edit.revisions[file?.path ?? ""] ?? 0,
    openFile: setChosen,
    editor,
    onText: edit.onText,
    flush: edit.flush,
    problems,
    /** Whether the problems are those of the current files. */
    isChecked: checked.files === files && checked.text === rootContent,
  };
}
export type Workspace = ReturnType<typeof useWorkspace>;

/** The files, and the changes that come from the editor and from elsewhere. */
function useFiles(start: WorkFile[], reader: BaseReader) {
  const [files, setFiles] = useState(start);
  // The editor holds texts of its own; a revision counts how often they were replaced from outside of it.
  const [revisions, setRevisions] = useState<Record<string, number>>({});
  const editor = useRef<EditorHandle>(null);
  const change = useCallback((one: FileChange) => {
    editor.current?.flush();
    const replaced = replacedPaths(one);
    setRevisions((old) => ({
      ...old,
      ...Object.fromEntries(replaced.map((path) => [path, (old[path] ?? 0) + 1])),
    }));
    setFiles((old) => changeFiles(old, one));
  }, []);
  const onText = useCallback(
    (path: string, text: string) => {
      setFiles((old) =>
        old.some((one) => one.path === path) ? changeFiles(old, { kind: "set", path, data: text }) : old,
      );
      const reset = async () => {
        if (!(await isTextOfBase(reader, path, text))) return;
        setFiles((old) => {
          const now = old.find((one) => one.path === path);
          return now?.data === text && now.from === path ? changeFiles(old, { kind: "reset", path }) : old;
        });
      };
      void reset();
    },
    [reader],
  );
  const flush = useCallback(() => editor.current?.flush(), []);
  const latest = useRef(files);
  useEffect(() => {
    latest.current = files;
  });
  /** The files with what was typed just now. */
  const takeFiles = useCallback(() => {
    flushSync(flush);
    return latest.current;
  }, [flush]);
  return { files, revisions, editor, change, onText, flush, takeFiles };
}

function replacedPaths(change: FileChange): string[] {
  if (change.kind === "add") return change.files.map(({ path }) => path);
  if (change.kind === "reset") return [change.path];
  return change.kind === "restore" ? [change.file.path] : [];
}

/** Whether an edited text is that of the base again. */
async function isTextOfBase({ base, read }: BaseReader, path: string, text: string): Promise<boolean> {
  if (base?.files.some((file) => file.path === path) !== true) return false;
  try {
    return (await (await read(path)).text()) === text;
  } catch {
    return false;
  }
}

function useText(file: WorkFile | undefined, reader: BaseReader): Text {
  const data = file?.data;
  const from = file?.from;
  const [loaded, setLoaded] = useState<{
    data: unknown;
    from: unknown;
    text: Text;
  }>();
  useEffect(() => {
    if (typeof data === "string" || (data === undefined && from === undefined)) return undefined;
    let isCurrent = true;
    const load = async () => {
      const text = await readText(data, from, reader);
      if (isCurrent) setLoaded({ data, from, text });
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [data, from, reader]);
  if (typeof data === "string") return data;
  return loaded && loaded.data === data && loaded.from === from ? loaded.text : undefined;
}

/** The text of the root file with characters that the editor can't show, or why it is no text. */
function useContent(file: WorkFile | undefined, text: Text, reader: BaseReader): string | Fault | undefined {
  const [loaded, setLoaded] = useState<{
    file: WorkFile;
    content: string | Fault;
  }>();
  useEffect(() => {
    if (text !== null || file === undefined) return undefined;
    let isCurrent = true;
    const load = async () => {
      const content = await readContent(file, reader);
      if (isCurrent) setLoaded({ file, content });
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [file, text, reader]);
  if (text !== null) return text;
  return loaded !== undefined && loaded.file === file ? loaded.content : undefined;
}

async function readContent({ data, from }: WorkFile, reader: BaseReader): Promise<string | Fault> {
  try {
    const blob = typeof data === "string" ? new Blob([data]) : (data ?? (await reader.read(from!)));
    const read = readUtf8(new Uint8Array(await blob.arrayBuffer()));
    return "text" in read ? read.text : read.fault;
  } catch {
    return {
      rule: "text_encoding",
      reason: "it can't be read",
      remedy: "Add it again.",
    };
  }
}

/** A file that can't be read is offered for download or replacement like one that is not a text. */
async function readText(data: Blob | undefined, from: string | undefined, reader: BaseReader): Promise<Text> {
  try {
    return (await textOfBlob(data ?? (await reader.read(from!)))) ?? null;
  } catch {
    return null;
  }
}
