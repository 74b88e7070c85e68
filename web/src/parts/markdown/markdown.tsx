import { useEffect, useRef } from "react";
import { addCopyButtons, wrapTables } from "./decorate.ts";
import type { Rendered } from "./render.ts";

/** Code blocks that are highlighted; a text with thousands of them shows the others plainly. */
const highlightedBlocks = 100;

/** The nodes of a rendered text. Its code is highlighted, and its diagrams are drawn, once the code for it is here. */
export function Markdown({ rendered: { fragment } }: { rendered: Rendered }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    element.replaceChildren(fragment.cloneNode(true));
    const blocks = [...element.querySelectorAll<HTMLElement>("pre code[class^=language-]")];
    const isDiagram = (block: HTMLElement) => block.className === "language-mermaid";
    const code = blocks.filter((block) => !isDiagram(block));
    if (code.length > 0) void highlight(code.slice(0, highlightedBlocks));
    wrapTables(element);
    addCopyButtons(element);
    return drawLater(blocks.filter(isDiagram));
  }, [fragment]);
  return <div className="md" ref={box} />;
}

/** Draws diagrams once their code has arrived. Returns a function that ends that. */
function drawLater(blocks: HTMLElement[]): (() => void) | undefined {
  if (blocks.length === 0) return undefined;
  let stop: (() => void) | undefined;
  let isOver = false;
  const draw = async () => {
    const { drawDiagrams } = await import("./diagrams.ts");
    if (!isOver) stop = drawDiagrams(blocks);
  };
  void draw();
  return () => {
    isOver = true;
    stop?.();
  };
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
