import { setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorSelection, type EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import { nonce } from "../../../nonce.ts";
import type { Problem } from "../checks.ts";
import { openText } from "./code-extensions.ts";
import { keyAtCursor, type KeyAtCursor } from "./frontmatter-keys.ts";

/** Pause in typing after which the page takes over the text: reading 500 kB on each key would be felt. */
const pauseMs = 300;

export interface EditorHandle {
  /** Hands over text that was typed just now. */
  flush: () => void;
  goTo: (line: number) => void;
}

interface Props {
  ref: Ref<EditorHandle>;
  path: string;
  /** Changes whenever texts were replaced from outside of the editor. */
  revision: number;
  text: string;
  problems: readonly Problem[];
  onText: (path: string, text: string) => void;
  onKeyAtCursor: (key: KeyAtCursor | undefined) => void;
  onPublish: () => void;
}

/** The text of one file. Each file keeps its undo history while others are open. */
export function CodeEditor({ ref, path, revision, text, problems, ...events }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<ReturnType<typeof openEditor>>(undefined);
  const current = useRef(events);
  useEffect(() => {
    current.current = events;
  });
  useEffect(() => {
    if (!box.current) return undefined;
    const opened = openEditor(box.current, current);
    editor.current = opened;
    return () => opened.close();
  }, []);
  const opening = useRef(text);
  useEffect(() => {
    opening.current = text;
  });
  useEffect(() => editor.current?.open(path, revision, opening.current), [path, revision]);
  // Also after another file was opened.
  // oxlint-disable-next-line react/exhaustive-effect-dependencies
  useEffect(() => editor.current?.mark(problems), [problems, path, revision]);
  useImperativeHandle(ref, () => ({
    flush: () => editor.current?.flush(),
    goTo: (line) => editor.current?.goTo(line),
  }));
  return <div className="code-editor" ref={box} />;
}

type Events = { current: Pick<Props, "onText" | "onKeyAtCursor" | "onPublish"> };

function openEditor(parent: HTMLElement, events: Events) {
  // The first view writes the shared style sheet, which the policy allows with the nonce only.
  const view = new EditorView({ parent, extensions: EditorView.cspNonce.of(nonce) });
  const states = new Map<string, EditorState>();
  let open = { path: "", key: "" };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastKey = "";
  const flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    events.current.onText(open.path, view.state.sliceDoc());
  };
  const extra = [
    keymap.of([{ key: "Mod-Enter", run: () => (events.current.onPublish(), true) }]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        clearTimeout(timer);
        timer = setTimeout(flush, pauseMs);
      }
      if (!update.docChanged && !update.selectionSet) return;
      const key = keyAtCursor(update.state);
      const shown = key ? `${key.key} ${key.length}` : "";
      if (shown !== lastKey) events.current.onKeyAtCursor(key);
      lastKey = shown;
    }),
  ];
  return {
    flush,
    open(path: string, revision: number, text: string) {
      flush();
      if (open.key !== "") states.set(open.key, view.state);
      open = { path, key: `${revision} ${path}` };
      view.setState(states.get(open.key) ?? openText(path, text, extra));
      lastKey = "";
      events.current.onKeyAtCursor(undefined);
    },
    mark(problems: readonly Problem[]) {
      view.dispatch(setDiagnostics(view.state, problems.map(toDiagnostic)));
    },
    goTo(line: number) {
      const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      view.dispatch({ selection: EditorSelection.cursor(at.to), scrollIntoView: true });
      view.focus();
    },
    close() {
      flush();
      view.destroy();
    },
  };
  function toDiagnostic({ line, severity, message }: Problem): Diagnostic {
    const { from, to } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
    return { from, to, severity, message };
  }
}
