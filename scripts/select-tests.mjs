// Which test files a run is about: test/<area>/<subject>.test.ts, by area, by name, or by what uses a changed file. A
// file uses what it imports, starts as a program or reads: in doubt, each path of the checkout that its text names.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "./sources.mjs";

const SUFFIX = ".test.ts";
/** Used by the tests that have a size for long runs. */
const RUN_COUNT = "test/support/run-count.ts";
/** A change of these may affect every test: dependencies, compiler options, and what runs the tests. */
const everything =
  /^(package\.json|package-lock\.json|\.npmrc|tsconfig.*\.json|scripts\/(test|run-files)\.mjs)$/;
/** Tests of the sources and documents as a whole. */
const ofTheWhole = /^test\/house\//;
/** Tests of a cluster, whose processes have limits of time: other tests beside them would take their processors. */
const ofCluster = /^cluster\//;
/** Uses that no text of the file shows: what is built from other files. */
export const hiddenUses = {
  "bin/svc": ["cli/main.ts"],
  "scripts/build.mjs": ["cli/main.ts", "server.ts", "web"],
  "test/support/browser.ts": ["web"],
  "test/support/server.ts": ["server.ts", "web"],
};

/**
 * Paths relative to the checkout; ends the process with the names there are where a filter matches nothing.
 *
 * @param {string[]} args filters, `--changed` and `--long`
 */
export function selectTests(args) {
  const filters = args
    .filter((arg) => !arg.startsWith("--"))
    .map((arg) => (arg.startsWith("test/") && arg.endsWith(SUFFIX) ? arg.slice(5, -SUFFIX.length) : arg));
  const isMatch = (filter, file) => file.startsWith(`${filter}/`) || file === `${filter}${SUFFIX}`;
  const all = fs
    .readdirSync(path.join(root, "test"), { encoding: "utf8", recursive: true })
    .filter((file) => file.endsWith(SUFFIX))
    .sort();
  const unmatched = filters.find((filter) => !all.some((file) => isMatch(filter, file)));
  if (unmatched !== undefined || all.length === 0) {
    const areas = [...new Set(all.map((file) => path.dirname(file)))];
    console.error(`No tests for "${unmatched ?? ""}". Areas: ${areas.join(", ") || "none"}.`);
    process.exit(1);
  }
  const isLong = args.includes("--long");
  const chosen = all.filter((file) =>
    filters.length === 0 ? isLong || !ofCluster.test(file) : filters.some((f) => isMatch(f, file)),
  );
  const paths = chosen.map((file) => `test/${file}`);
  if (args.includes("--changed")) return affectedTests(paths, changedFiles());
  return isLong ? usingTests(paths, [RUN_COUNT]) : paths;
}

const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
const listGit = (...args) =>
  git(...args, "-z")
    .split("\0")
    .filter((line) => line !== "");

/** Paths differing from the merge base with main, in commits or in the work tree; also removed or unversioned ones. */
function changedFiles() {
  const base = git("merge-base", "HEAD", "main").trim();
  return [
    ...listGit("diff", "--name-only", "--no-renames", base),
    ...listGit("ls-files", "--others", "--exclude-standard"),
  ];
}

/**
 * Those of the test files that a change of other files can affect.
 *
 * @param {string[]} tests relative to the checkout
 * @param {string[]} changed likewise
 */
export function affectedTests(tests, changed) {
  if (changed.length === 0) return [];
  if (changed.some((file) => everything.test(file))) return tests;
  const using = usingTests(tests, changed);
  return tests.filter((test) => using.includes(test) || ofTheWhole.test(test));
}

/** Those of the test files that are one of the given files or use one, at any distance. */
function usingTests(tests, given) {
  const files = new Set([...listGit("ls-files", "--cached", "--others", "--exclude-standard"), ...given]);
  const folders = new Map();
  for (const file of files)
    for (let folder = path.posix.dirname(file); folder !== "."; folder = path.posix.dirname(folder))
      folders.set(folder, [...(folders.get(folder) ?? []), file]);
  const filesAt = (name) => (files.has(name) ? [name] : (folders.get(name) ?? []));
  const uses = new Map();
  return tests.filter((test) => {
    const seen = new Set([test]);
    for (const file of seen) {
      if (given.includes(file)) return true;
      if (!uses.has(file)) uses.set(file, findUses(file, filesAt));
      for (const used of uses.get(file)) seen.add(used);
    }
    return false;
  });
}

function findUses(file, filesAt) {
  if (!/\.(ts|mjs)$|^bin\/svc$/.test(file) || !fs.existsSync(path.join(root, file))) return [];
  const text = fs.readFileSync(path.join(root, file), "utf8").replaceAll(/^ *(\/\/|\/?\*).*$/gm, "");
  // Such a file may name a folder of the checkout by its bare name, and `join(root, "docs", "guides")`.
  const findsFiles = /^(test\/|server\.ts$)/.test(file) && /import\.meta|\/root\.ts/.test(text);
  const searched = findsFiles ? text + text.replaceAll(/",\s*"/g, "/") : text;
  const literals = [...searched.matchAll(/["'`]([\w@./-]+)/g)].map(([, name]) => name);
  const names = literals.filter((name) => /\w/.test(name) && (findsFiles || /[./]/.test(name)));
  const besides = names.map((name) => path.posix.join(path.posix.dirname(file), name));
  // `./worker/thread${extname}` goes on with its ending.
  const endings = besides.flatMap((name) => [`${name}.ts`, `${name}.mjs`]);
  return [...(hiddenUses[file] ?? []), ...names, ...besides, ...endings].flatMap(filesAt);
}
