/**
 * Colors of code in the editor, by the highlighter that shows files and comparisons. It is loaded with the first file.
 */
import { StateEffect, StateField, type Extension, type Range } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";

/** Characters up to which a text is highlighted: all of it is read again after each pause in typing. */
const maxLength = 100_000;
const pauseMs = 150;

const setColors = StateEffect.define<DecorationSet>();

const colors = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, { changes, effects }) {
    const found = effects.find((effect) => effect.is(setColors));
    // Until the next pause, the colors move with the text.
    return found ? found.value : old.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

async function colorsOf(path: string, text: string): Promise<DecorationSet> {
  const { highlightLines, languageOf } = await import("../../../parts/code/highlight.ts");
  const lines = highlightLines(text, languageOf(path)) ?? [];
  const ranges: Range<Decoration>[] = [];
  let at = 0;
  for (const pieces of lines) {
    for (const piece of pieces) {
      const end = at + piece.text.length;
      if (piece.className !== undefined)
        ranges.push(Decoration.mark({ class: piece.className }).range(at, end));
      at = end;
    }
    at++;
  }
  return Decoration.set(ranges);
}

/** Highlights a file in the language of its ending; other files stay plain. */
export function highlightCode(path: string): Extension {
  const plugin = ViewPlugin.define((view) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const read = async () => {
      const { doc } = view.state;
      if (doc.length > maxLength) return;
      // Lines are joined by one character in the document, whatever the file has.
      const found = await colorsOf(path, doc.sliceString(0, doc.length, "\n"));
      if (isOpen && view.state.doc === doc) view.dispatch({ effects: setColors.of(found) });
    };
    const plan = (ms: number) => {
      clearTimeout(timer);
      // A file without its chunk stays plain: highlighting is no condition for editing.
      timer = setTimeout(() => void read().catch(() => undefined), ms);
    };
    plan(0);
    return {
      update: ({ docChanged }: ViewUpdate) => docChanged && plan(pauseMs),
      destroy: () => {
        isOpen = false;
        clearTimeout(timer);
      },
    };
  });
  return [colors, plugin];
}
