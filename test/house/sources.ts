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
      .filter((file) => !/(^|\/)(node_modules|dist)\/|^web\/generated\//.test(file))
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

/** Functions of a file with their lengths in lines, found by the indentation that the formatter guarantees. */
export function functionsOf(file: string): { name: string; lines: number }[] {
  const lines = texts.get(file)!.split("\n");
  return lines.flatMap((line, at) => {
    const opening = /^(\s*)(.*(?:\)(?:: .+)?|=>) )\{$/.exec(line);
    if (!opening || /^(\} )?(if|else|for|while|switch|catch|with)\b/.test(opening[2]!)) return [];
    const indent = opening[1]!;
    const isAtIndent = (text: string) => text.startsWith(indent) && /\S/.test(text.charAt(indent.length));
    // A parameter list of several lines begins at the last line before it with the same indentation.
    let start = at;
    while (/^[)}]/.test(lines[start]!.trimStart())) {
      start--;
      while (start > 0 && !isAtIndent(lines[start]!)) start--;
    }
    const end = lines.findIndex(
      (text, i) => i > at && isAtIndent(text) && text.startsWith("}", indent.length),
    );
    const declared =
      /(?:function\*? |const |class )?([#\w]+)(?: = (?:async )?)?(?:<.*>)?\(|([#\w]+)(?:: |:? = )/;
    const found = declared.exec(
      lines[start]!.trimStart().replace(/^(export |default |async |static |private )+/, ""),
    );
    return [{ name: found?.[1] ?? found?.[2] ?? "?", lines: end - start + 1 }];
  });
}
