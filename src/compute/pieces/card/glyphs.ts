/** Turns a line of text into outlines in the order in which they are seen, each script with its font. */
import { createRequire } from "node:module";
import type bidiModule from "bidi-js";
import type { Path } from "fontkit";
import { faceOf, fontFor, type Face } from "./fonts.ts";

/** The package exports a function, which its types declare as the export of a module. */
const createBidi = createRequire(import.meta.url)("bidi-js") as typeof bidiModule.default;
const bidi = createBidi();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

export const charactersOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Characters of one font and one direction. */
interface Run {
  face: Face;
  /** Even: from left to right; odd: from right to left. */
  level: number;
  text: string;
}

/** An outline in the units of SVG paths, at the given place of a line that begins at 0. */
interface Outline {
  path: string;
  x: number;
  y: number;
  scale: number;
}

export interface Line {
  outlines: Outline[];
  width: number;
  /** Whether the line begins on the right. */
  isRightToLeft: boolean;
}

export function layLine(text: string, { size, isBold = false }: { size: number; isBold?: boolean }): Line {
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text);
  const outlines: Outline[] = [];
  let x = 0;
  for (const run of inVisualOrder(runsOf(text, levels, isBold))) {
    const { glyphs, unitsPerEm } = glyphsOf(run);
    const scale = size / unitsPerEm;
    for (const { path, advance, xOffset, yOffset } of glyphs) {
      if (path !== "") outlines.push({ path, x: x + xOffset * scale, y: -yOffset * scale, scale });
      x += advance * scale;
    }
  }
  return { outlines, width: x, isRightToLeft: ((paragraphs[0]?.level ?? 0) & 1) === 1 };
}

function runsOf(text: string, levels: Uint8Array, isBold: boolean): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const character of charactersOf(text)) {
    const level = levels[at]!;
    at += character.length;
    const last = runs.at(-1);
    const isJoined = last?.level === level && (character === " " || last.face === faceOf(character, isBold));
    if (last && isJoined) last.text += character;
    else runs.push({ face: faceOf(character, isBold), level, text: character });
  }
  return runs;
}

/** Reverses the runs of each level and above, from the highest one on (Unicode's rule L2). */
function inVisualOrder(runs: Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < ordered.length; start++) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end++;
      if (end - start > 1) ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed());
      start = end;
    }
  }
  return ordered;
}

function glyphsOf({ face, level, text }: Run) {
  const characters = Array.from(text);
  const font = fontFor(face, characters);
  const isReversed = (level & 1) === 1;
  if (face.isSimple) {
    const glyphs = (isReversed ? characters.toReversed() : characters).map((character) => {
      const { path, advanceWidth } = font.glyphForCodePoint(character.codePointAt(0)!);
      return { path: outlineOf(path), advance: advanceWidth, xOffset: 0, yOffset: 0 };
    });
    return { glyphs, unitsPerEm: font.unitsPerEm };
  }
  const mirrored = isReversed
    ? characters.map((one) => bidi.getMirroredCharacter(one) ?? one).join("")
    : text;
  const { glyphs, positions } = font.layout(
    mirrored,
    undefined,
    undefined,
    undefined,
    isReversed ? "rtl" : "ltr",
  );
  return {
    glyphs: glyphs.map(({ path }, at) => {
      const { xAdvance, xOffset, yOffset } = positions[at]!;
      return { path: outlineOf(path), advance: xAdvance, xOffset, yOffset };
    }),
    unitsPerEm: font.unitsPerEm,
  };
}

/** Without contours of one point, which mark places for marks and are no outline. */
const outlineOf = (path: Path): string => path.toSVG().replaceAll(/M-?[\d.]+ -?[\d.]+Z/g, "");
