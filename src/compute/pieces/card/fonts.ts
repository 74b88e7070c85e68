/**
 * Fonts of pictures. The service contains all of them, so that a picture is the same on every machine. Each file is
 * read when its first character is drawn.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { create, type Font } from "fontkit";
import { unpackWoff } from "./unpack-woff.ts";

export interface Face {
  /** Path of the file. */
  file(): string;
  /** Each character has one glyph, whatever is next to it. */
  isSimple?: true;
}

const require = createRequire(import.meta.url);
const geist = (subset: string, weight: number): Face => ({
  file: () => require.resolve(`@fontsource/geist/files/geist-${subset}-${weight}-normal.woff2`),
});
/** A font of a package that exports no files. */
const besideOf = (name: string, file: string): Face => ({
  file: () => path.join(path.dirname(require.resolve(name)), "../fonts", file),
});

const latin = geist("latin", 400);
const latinBold = geist("latin", 600);
/** Has every other character of the Basic Multilingual Plane, Chinese, Japanese and Korean ones among them. */
const other: Face = {
  file: () => require.resolve("@fontsource/unifontex/files/unifontex-latin-400-normal.woff"),
  isSimple: true,
};
const byScript: readonly [RegExp, Face][] = [
  [/[\u0020-\u00ff\u2010-\u2027\u20ac\u2122]/u, latin],
  [/\p{Script=Latin}/u, geist("latin-ext", 400)],
  [/\p{Script=Cyrillic}/u, geist("cyrillic", 400)],
  [/\p{Script=Arabic}/u, besideOf("@embedpdf/fonts-arabic", "NotoNaskhArabic-Regular.ttf")],
  [/\p{Script=Hebrew}/u, besideOf("@embedpdf/fonts-hebrew", "NotoSansHebrew-Regular.ttf")],
];

/** The font that has the first character of a text. */
export function faceOf(text: string, isBold: boolean): Face {
  const first = String.fromCodePoint(text.codePointAt(0)!);
  const [, face = other] = byScript.find(([characters]) => characters.test(first)) ?? [];
  return isBold && face === latin ? latinBold : face;
}

const files = new Map<Face, Buffer>();
const fonts = new Map<Face, Font>();
/** Characters of simple faces whose glyphs their fonts keep. */
const kept = new Map<Face, Set<string>>();
/** Each glyph takes about 12 kB, and a face may have tens of thousands. */
const maxKept = 2000;

/** The font of a face, for some of its characters. */
export function fontFor(face: Face, characters: readonly string[]): Font {
  if (face.isSimple) {
    const drawn = kept.get(face) ?? new Set();
    if (drawn.size > maxKept) {
      fonts.delete(face);
      drawn.clear();
    }
    for (const character of characters) drawn.add(character);
    kept.set(face, drawn);
  }
  let font = fonts.get(face);
  if (!font) {
    const bytes = files.get(face) ?? readFont(face);
    if (face.isSimple) files.set(face, bytes);
    const read = create(bytes);
    if (!("layout" in read)) throw new Error(`${face.file()} has several fonts`);
    // A glyph is made once. If the outline of another one were first to need it, its letter would not be joined.
    if (!face.isSimple) for (const character of read.characterSet) read.glyphForCodePoint(character);
    fonts.set(face, (font = read));
  }
  return font;
}

function readFont(face: Face): Buffer {
  const file = face.file();
  const bytes = readFileSync(file);
  return file.endsWith(".woff") ? unpackWoff(bytes) : bytes;
}
