/** The repository's source files, read once for the tests of this folder. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../support/root.ts";

/** Files below a folder of the repository, by their paths from the root. */
export function sourceFiles(folder: string): string[] {
  return (
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|js)$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
      // Generated sources (`npm run generate:web`) are read by no one.
      .filter((file) => !/(^|\/)(node_modules|dist)\/|\/generated\//.test(file))
  );
}

const productFolders = [
  "contract",
  "engines",
  "storage",
  "repos",
  "src",
  "workers",
  "cli",
  "web",
  "server.ts",
];
const present = readdirSync(root, { withFileTypes: true });
const isPresent = (name: string) => present.some((entry) => entry.name === name);

export const product = productFolders
  .filter(isPresent)
  .flatMap((name) => (name.endsWith(".ts") ? [name] : sourceFiles(name)));
export const everything = [
  ...product,
  ...["test", "bench", "scripts"].filter(isPresent).flatMap(sourceFiles),
];
export const texts = new Map(everything.map((file) => [file, readFileSync(path.join(root, file), "utf8")]));

/** Lines of a file, without the line feed at its end. */
export const linesOf = (file: string) => texts.get(file)!.replace(/\n$/, "").split("\n").length;
