// npm test -- --changed: the test files that a change can affect, by what they import, start as a program or read.
// In doubt a test is selected: texts that name a path of the checkout count as a use of it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "./sources.mjs";

/** A change of these may affect every test: dependencies, compiler options, and what runs the tests. */
const everything =
  /^(package\.json|package-lock\.json|\.npmrc|tsconfig.*\.json|scripts\/test\.mjs|scripts\/run-.*)$/;
/** Tests of the sources and documents as a whole. */
const ofTheWhole = /^test\/house\//;
/** Uses that no text of the file shows: what is built from other files. */
export const hiddenUses = {
  "bin/svc": ["cli/main.ts"],
  "scripts/build.mjs": ["cli/main.ts", "server.ts", "web"],
  "test/support/browser.ts": ["web"],
  "test/support/server.ts": ["server.ts", "web"],
};
const isCode = (file) => /\.(ts|mjs)$/.test(file) || file === "bin/svc";

/**
 * Paths that differ from the merge base with main, in commits and in the work tree; removed and unversioned ones too.
 *
 * @returns {string[]} relative to the checkout
 */
export function changedFiles() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const lines = (...args) =>
    git(...args)
      .split("\0")
      .filter((line) => line !== "");
  const base = git("merge-base", "HEAD", "main").trim();
  return [
    ...lines("diff", "--name-only", "--no-renames", "-z", base),
    ...lines("ls-files", "--others", "--exclude-standard", "-z"),
  ];
}

/**
 * Those of the test files that use one of the changed files.
 *
 * @param {string[]} tests relative to the checkout
 * @param {string[]} changed likewise
 */
export function affectedTests(tests, changed) {
  if (changed.length === 0) return [];
  if (changed.some((file) => everything.test(file))) return tests;
  const usesOf = openGraph(changed);
  const isChanged = new Set(changed);
  return tests.filter((test) => {
    if (ofTheWhole.test(test)) return true;
    const seen = new Set([test]);
    for (const file of seen) {
      if (isChanged.has(file)) return true;
      for (const used of usesOf(file)) seen.add(used);
    }
    return false;
  });
}

/** Finds the files that a file uses, each file read once. */
function openGraph(removed) {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = new Set([...listed.split("\0"), ...removed]);
  files.delete("");
  const folders = new Map();
  for (const file of files)
    for (let folder = path.posix.dirname(file); folder !== "."; folder = path.posix.dirname(folder))
      folders.set(folder, [...(folders.get(folder) ?? []), file]);
  const at = (name) => (files.has(name) ? [name] : (folders.get(name) ?? []));
  const uses = new Map();
  return (file) => {
    const known = uses.get(file);
    if (known) return known;
    const found = isCode(file) ? findUses(file, at, files) : [];
    uses.set(file, found);
    return found;
  };
}

function findUses(file, at, files) {
  if (!fs.existsSync(path.join(root, file))) return [];
  const text = fs.readFileSync(path.join(root, file), "utf8").replaceAll(/^ *(\/\/|\/?\*).*$/gm, "");
  const found = (hiddenUses[file] ?? []).flatMap(at);
  const folder = path.posix.dirname(file);
  // A folder of the checkout by its bare name, in a file that looks for files at all.
  const findsFiles = /^(test\/|server\.ts$)/.test(file) && /import\.meta|\/root\.ts/.test(text);
  for (const [, literal] of text.matchAll(/["'`]([\w@./-]+)/g)) {
    if (literal.startsWith("./") || literal.startsWith("../")) {
      const target = path.posix.join(folder, literal);
      found.push(...at(target));
      // `./worker/thread${extname}`, whose ending follows.
      if (!/\.\w+$/.test(target))
        found.push(...[".ts", ".mjs"].map((end) => target + end).filter((f) => files.has(f)));
    } else if (literal.includes("/") || literal.includes(".") || findsFiles) {
      found.push(...at(literal));
    }
  }
  for (const [, start, parts] of text.matchAll(
    /join\((root|checkout|import\.meta\.dirname)((?:,\s*"[^"]*")+)/g,
  )) {
    const names = [...parts.matchAll(/"([^"]*)"/g)].map(([, name]) => name);
    found.push(...at(path.posix.join(start.startsWith("import") ? folder : ".", ...names)));
  }
  return found;
}
