/** Behavior and look of the code editor. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { nonce } from "../../../nonce.ts";
import { completeKeys } from "./frontmatter-keys.ts";
import { highlightCode } from "./highlight-code.ts";
import { skillLanguage } from "./skill-language.ts";

const colors = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--accent)" },
  { tag: tags.heading, color: "var(--ink)", fontWeight: "600" },
  { tag: [tags.string, tags.monospace], color: "var(--ok)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--ink-3)" },
  { tag: [tags.keyword, tags.bool], color: "var(--violet)" },
  { tag: tags.number, color: "var(--warn)" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
]);

const selection = "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground";
const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--surface)", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.62", fontVariantLigatures: "none" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--ink-3)",
    border: "none",
    fontSize: "11px",
  },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)",
  },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  [`${selection}, .cm-selectionBackground`]: { backgroundColor: "var(--accent-tint)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    fontFamily: "var(--font)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-fill)",
    color: "var(--on-accent)",
  },
  ".cm-completionInfo": { maxWidth: "320px", padding: "8px 10px", whiteSpace: "normal" },
  ".cm-textfield, .cm-button": { minHeight: "26px", borderColor: "var(--line-control)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
});

/** Line ends are kept as they are: an edit of one line must not change all others. */
export function lineEndOf(text: string): string {
  const ends = text.match(/\r?\n/g) ?? [];
  return ends.length > 0 && ends.every((end) => end === "\r\n") ? "\r\n" : "\n";
}

const sharedExtensions: Extension = [
  EditorView.cspNonce.of(nonce),
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  search({ top: true }),
  syntaxHighlighting(colors),
  look,
  EditorView.lineWrapping,
];

const keys = [
  ...closeBracketsKeymap,
  ...defaultKeymap,
  ...searchKeymap,
  ...historyKeymap,
  ...completionKeymap,
  ...lintKeymap,
  indentWithTab,
];

/** The state of the editor for one file. `extra` are the listeners of the page. */
export function openText(path: string, text: string, extra: Extension): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      // Before the default keys, of which Ctrl Enter is one.
      extra,
      sharedExtensions,
      keymap.of(keys),
      EditorState.lineSeparator.of(lineEndOf(text)),
      /\.(?:md|mdc|markdown)$/i.test(path)
        ? [skillLanguage(), autocompletion({ override: [completeKeys], icons: false })]
        : highlightCode(path),
      EditorView.contentAttributes.of({
        "aria-label": path,
        "aria-description": "Press Escape, then Tab, to leave the editor.",
        tabindex: "0",
      }),
    ],
  });
}
