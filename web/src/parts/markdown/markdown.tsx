import { useEffect, useRef } from "react";
import type { Rendered } from "./render.ts";

/** Code blocks that are highlighted; a text with thousands of them shows the others plainly. */
const highlightedBlocks = 100;

/** The nodes of a rendered text. Its code is highlighted once the highlighter has arrived. */
export function Markdown({ rendered: { fragment } }: { rendered: Rendered }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    element.replaceChildren(fragment.cloneNode(true));
    const blocks = [...element.querySelectorAll<HTMLElement>("pre code[class^=language-]")];
    if (blocks.length > 0) void highlight(blocks.slice(0, highlightedBlocks));
  }, [fragment]);
  return <div className="md" ref={box} />;
}

async function highlight(blocks: HTMLElement[]): Promise<void> {
  const { highlightLines, languageOf } = await import("../code/highlight.ts");
  for (const block of blocks) {
    const name = block.className.replace("language-", "");
    const lines = highlightLines(block.textContent, languageOf(`.${name}`));
    if (!lines) continue;
    const nodes = lines.flatMap((pieces, index) => [
      ...(index > 0 ? [document.createTextNode("\n")] : []),
      ...pieces.map(({ text, className }) => {
        if (className === undefined) return document.createTextNode(text);
        const span = document.createElement("span");
        span.className = className;
        span.textContent = text;
        return span;
      }),
    ]);
    block.replaceChildren(...nodes);
  }
}
