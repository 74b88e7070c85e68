/** The scripts of the built front end, by the manifest of the bundler. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { root } from "../support/root.ts";

interface Chunk {
  file: string;
  name?: string;
  css?: string[];
  imports?: string[];
  isDynamicEntry?: boolean;
}

const entry = "index.html";
const manifest = JSON.parse(
  readFileSync(path.join(root, "dist/web/app/.vite/manifest.json"), "utf8"),
) as Record<string, Chunk>;

/** Chunks that the browser loads before it shows a view, those of the first load included. */
function chunksOf(...shown: string[]): Chunk[] {
  const loaded = new Set<string>();
  const load = (key: string) => {
    if (loaded.has(key)) return;
    loaded.add(key);
    for (const imported of manifest[key]!.imports ?? []) load(imported);
  };
  for (const key of [entry, ...shown]) load(key);
  return [...loaded].map((key) => manifest[key]!);
}

const namesOf = (view: string) => chunksOf(view).map(({ name }) => name);

const sizes = new Map<string, number>();
function compressedSize(file: string): number {
  const known = sizes.get(file);
  if (known !== undefined) return known;
  const size = brotliCompressSync(readFileSync(path.join(root, "dist/web/app", file))).length;
  sizes.set(file, size);
  return size;
}

/** Compressed size of the scripts and style sheets of views, in kB. */
function weightOf(...shown: string[]): number {
  const files = new Set(chunksOf(...shown).flatMap(({ file, css = [] }) => [file, ...css]));
  return [...files].reduce((sum, file) => sum + compressedSize(file), 0) / 1000;
}

const views = Object.keys(manifest).filter((key) => manifest[key]!.isDynamicEntry);
const viewsIn = (folder: string) => views.filter((key) => key.startsWith(`src/pages/${folder}/`));

describe("the scripts of a view", () => {
  it("are few", () => {
    assert.ok(views.length > 50);
    const many = views
      .map((view) => [view, chunksOf(view).length] as const)
      .filter(([, count]) => count > 34);

    assert.deepEqual(many, []);
  });

  it("have no overlays on the home page and in the catalog", () => {
    const shown = [...viewsIn("home"), ...viewsIn("explore")].filter((view) => !view.endsWith("-dialog.tsx"));
    assert.ok(shown.length >= 2);

    assert.deepEqual(
      shown.filter((view) => namesOf(view).includes("overlays")),
      [],
    );
    assert.ok(namesOf(viewsIn("library")[0]!).includes("overlays"));
  });

  // A loader or a search of a route that imports from a .tsx file moves that file into the first load.
  it("have at most their weight", () => {
    const limits: Record<string, number> = {
      "": 175,
      "src/pages/explore/page.tsx": 230,
      "src/pages/organization/public-page.tsx": 230,
      "src/pages/library/page.tsx": 300,
      // With its frame; 230 are aimed at, of which the renderer of Markdown alone takes 50.
      "src/pages/skill/readme/page.tsx": 340,
      // 400 are aimed at.
      "src/pages/editor/edit-page.tsx": 430,
    };
    const heavy = Object.entries(limits).flatMap(([view, most]) => {
      const found = view === "" ? [] : views.filter((key) => key.startsWith(view));
      assert.ok(found.length > 0 || view === "", `no view ${view}`);
      const weight = weightOf(...found);
      return weight > most ? [`${view || "first load"}: ${weight.toFixed(1)} of ${most} kB`] : [];
    });
    assert.deepEqual(heavy, []);
  });
});
