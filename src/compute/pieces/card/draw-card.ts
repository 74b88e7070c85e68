/** Draws the picture of a page for previews of links: 1200 by 630 pixels, as PNG. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { keepSuccess } from "../../../../contract/concurrency/keep-success.ts";
import { layLine, type Line } from "./glyphs.ts";
import { linesOf } from "./lines.ts";

/** Texts of one line each, without control characters. */
export interface Card {
  /** Above the title. */
  label: string;
  title: string;
  text: string;
  /** At the bottom, on the left and on the right. */
  facts: string;
  service: string;
}

const size = { width: 1200, height: 630 };
const margin = 80;
const inner = size.width - 2 * margin;
const colors = {
  canvas: "#f9f7f5",
  ink: "#1b1916",
  soft: "#4a4744",
  dim: "#686560",
  line: "#dcd8d3",
  accent: "#00648f",
};
/** Characters that may be drawn; more would only be cut. */
const maxText = 500;
const maxWords = 120;

interface Placed extends Line {
  y: number;
  color: string;
  /** At the right margin. */
  isEnd: boolean;
}

export async function drawCard(card: Card): Promise<Uint8Array> {
  const { Resvg } = await loadRenderer();
  const drawing = new Resvg(svgOf(place(card)));
  try {
    const picture = drawing.render();
    try {
      return picture.asPng();
    } finally {
      picture.free();
    }
  } finally {
    drawing.free();
  }
}

/** Loaded with the first picture of a thread. */
const loadRenderer = keepSuccess(async () => {
  const renderer = await import("@resvg/resvg-wasm");
  const program = createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm");
  await renderer.initWasm(await readFile(program));
  return renderer;
});

function place(card: Card): Placed[] {
  const title = cutText(card.title, maxWords);
  const fitting = Math.floor((80 * inner) / Math.max(1, layLine(title, { size: 80, isBold: true }).width));
  const titleSize = Math.max(52, Math.min(80, fitting));
  const titles = linesOf(title, { size: titleSize, width: inner, count: 2, isBold: true });
  const titleTop = 126 + titleSize;
  const textTop = titleTop + (titles.length - 1) * (titleSize + 8) + 66;
  const texts = linesOf(cutText(card.text, maxText), {
    size: 34,
    width: inner,
    count: Math.floor((490 - textTop) / 48) + 1,
  });
  const one = (text: string, fontSize: number, width: number) =>
    linesOf(cutText(text, maxWords), { size: fontSize, width, count: 1 });
  const placed = (text: string, y: number, fontSize: number, color: string, isBold = false): Placed => {
    const line = layLine(text, { size: fontSize, isBold });
    return { ...line, y, color, isEnd: line.isRightToLeft };
  };
  return [
    ...one(card.label, 30, inner).map((text) => placed(text, 112, 30, colors.dim)),
    ...titles.map((text, at) => placed(text, titleTop + at * (titleSize + 8), titleSize, colors.ink, true)),
    ...texts.map((text, at) => placed(text, textTop + at * 48, 34, colors.soft)),
    ...one(card.facts, 28, 640).map((text) => ({ ...placed(text, 568, 28, colors.dim), isEnd: false })),
    ...one(card.service, 28, 380).map((text) => ({ ...placed(text, 568, 28, colors.dim), isEnd: true })),
  ];
}

const cutText = (text: string, characters: number) => Array.from(text).slice(0, characters).join("");

function svgOf(lines: readonly Placed[]): string {
  const { width, height } = size;
  const shapes = lines.map(({ outlines, width: length, y, color, isEnd }) => {
    const left = isEnd ? width - margin - length : margin;
    const paths = outlines.map(
      (one) =>
        `<path transform="translate(${round(left + one.x)} ${round(y + one.y)}) scale(${one.scale} ${-one.scale})" ` +
        `d="${one.path}"/>`,
    );
    return `<g fill="${color}">${paths.join("")}</g>`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<rect width="${width}" height="${height}" fill="${colors.canvas}"/>` +
    `<rect width="${width}" height="14" fill="${colors.accent}"/>` +
    `<rect x="${margin}" y="514" width="${inner}" height="2" fill="${colors.line}"/>${shapes.join("")}</svg>`
  );
}

const round = (value: number) => Math.round(value * 100) / 100;
