/** The scripts of the built front end, by the manifest of the bundler. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { root } from "../support/root.ts";

interface Chunk {
  name?: string;
  imports?: string[];
  isDynamicEntry?: boolean;
}

const entry = "index.html";
const manifest = JSON.parse(
  readFileSync(path.join(root, "dist/web/app/.vite/manifest.json"), "utf8"),
) as Record<string, Chunk>;

/** Names of the chunks that the browser loads before it shows a view, those of the first load included. */
function chunksOf(view: string): string[] {
  const loaded = new Set<string>();
  const load = (key: string) => {
    if (loaded.has(key)) return;
    loaded.add(key);
    for (const imported of manifest[key]!.imports ?? []) load(imported);
  };
  for (const key of [entry, view]) load(key);
  return [...loaded].map((key) => manifest[key]!.name ?? key);
}

const views = Object.keys(manifest).filter((key) => manifest[key]!.isDynamicEntry);
const viewsIn = (folder: string) => views.filter((key) => key.startsWith(`src/pages/${folder}/`));

describe("the scripts of a view", () => {
  it("are few", () => {
    assert.ok(views.length > 50);
    const many = views
      .map((view) => [view, chunksOf(view).length] as const)
      .filter(([, count]) => count > 30);

    assert.deepEqual(many, []);
  });

  it("have no overlays on the home page and in the catalog", () => {
    const shown = [...viewsIn("home"), ...viewsIn("explore")].filter((view) => !view.endsWith("-dialog.tsx"));
    assert.ok(shown.length >= 2);

    assert.deepEqual(
      shown.filter((view) => chunksOf(view).includes("overlays")),
      [],
    );
    assert.ok(chunksOf(viewsIn("library")[0]!).includes("overlays"));
  });
});
