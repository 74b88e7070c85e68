/** Folders as people have them, each as it is put on disk and into a zip. */
import { skillMd } from "../support/zip.ts";

export interface CorpusFile {
  data?: string;
  /** By default 0o644. */
  mode?: number;
  /** Target of a link. */
  link?: string;
}

export interface CorpusCase {
  what: string;
  files: Record<string, CorpusFile | string>;
  /** Paths of the package, with `*` after an executable file; `refused`: a part of the sentence instead. */
  expected: { files: string[]; leftOut?: string[] } | { refused: RegExp };
}

const root = { "SKILL.md": skillMd("kit") };
const run = { data: "#!/bin/sh\n", mode: 0o755 };
const junk = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, "x"]));
const kept = (files: string[], leftOut: string[] = []) => ({ files: ["SKILL.md", ...files], leftOut });

/** Files that tools and systems leave behind, and the entry that is reported for each. */
const leavings: [path: string, reported: string][] = [
  [".git/config", ".git/"],
  ["sub/.git", "sub/.git"],
  [".hg/store", ".hg/"],
  [".svn/entries", ".svn/"],
  [".jj/repo/x", ".jj/"],
  ["node_modules/a/index.js", "node_modules/"],
  ["scripts/node_modules/a/b/c.js", "scripts/node_modules/"],
  [".venv/bin/python", ".venv/"],
  [".tox/py/x", ".tox/"],
  ["__pycache__/run.cpython-312.pyc", "__pycache__/"],
  ["scripts/__pycache__/a.pyc", "scripts/__pycache__/"],
  ["old.pyc", "old.pyc"],
  [".pytest_cache/README.md", ".pytest_cache/"],
  [".mypy_cache/a.json", ".mypy_cache/"],
  [".ruff_cache/a", ".ruff_cache/"],
  [".ipynb_checkpoints/a.ipynb", ".ipynb_checkpoints/"],
  [".terraform/x", ".terraform/"],
  [".idea/workspace.xml", ".idea/"],
  [".vscode/settings.json", ".vscode/"],
  [".DS_Store", ".DS_Store"],
  ["docs/.DS_Store", "docs/.DS_Store"],
  ["._SKILL.md", "._SKILL.md"],
  ["__MACOSX/._SKILL.md", "__MACOSX/"],
  ["Thumbs.db", "Thumbs.db"],
  ["thumbs.db", "thumbs.db"],
  ["desktop.ini", "desktop.ini"],
  ["Icon\r", "Icon\r"],
  ["run.py~", "run.py~"],
  [".SKILL.md.swp", ".SKILL.md.swp"],
  ["#notes.md#", "#notes.md#"],
  [".svc.json", ".svc.json"],
];

export const corpus: CorpusCase[] = [
  { what: "only a SKILL.md", files: root, expected: kept([]) },
  { what: "scripts", files: { ...root, "scripts/run.sh": run }, expected: kept(["scripts/run.sh*"]) },
  ...leavings.map(([path, reported]) => ({
    what: JSON.stringify(path),
    files: { ...root, ...junk(path) },
    expected: kept([], [reported]),
  })),
  {
    what: "names that only look similar",
    files: {
      ...root,
      ...junk(".github/x.md", "node_module/a.js", "venv.md", "cache/a.md", "a.pyx", "Icon.md"),
    },
    expected: kept([".github/x.md", "Icon.md", "a.pyx", "cache/a.md", "node_module/a.js", "venv.md"]),
  },
  {
    what: "an environment of another name",
    files: {
      ...root,
      ...junk("env/pyvenv.cfg", "env/bin/x"),
      "env/bin/python": { link: "/usr/bin/python3" },
    },
    expected: kept([], ["env/"]),
  },
  {
    what: "links in folders that are left out",
    files: { ...root, ".venv/bin/python": { link: "/usr/bin/python3" } },
    expected: kept([], [".venv/"]),
  },
  {
    what: "a .gitignore",
    files: {
      ...root,
      ".gitignore": "out/\n*.log\n!keep.log\n",
      ...junk("out/a.bin", "a.log", "keep.log", "b/c.log"),
    },
    expected: kept([".gitignore", "keep.log"], ["a.log", "b/c.log", "out/"]),
  },
  {
    what: "a .svcignore after a .gitignore",
    files: {
      ...root,
      ".gitignore": "dist\n",
      ".svcignore": "!dist\ntests/\n",
      ...junk("dist/a.js", "tests/a.js"),
    },
    expected: kept([".gitignore", ".svcignore", "dist/a.js"], ["tests/"]),
  },
  {
    what: "a .gitignore in a subfolder",
    files: { ...root, "docs/.gitignore": "/a.md\n", ...junk("docs/a.md", "docs/b/a.md", "a.md") },
    expected: kept(["a.md", "docs/.gitignore", "docs/b/a.md"], ["docs/a.md"]),
  },
  {
    what: "a .gitignore with Windows line ends that keeps only some files",
    files: {
      ...root,
      ".gitignore": "*\r\n!SKILL.md\r\n!/docs/\r\n!*.md\r\n",
      ...junk("a.bin", "docs/a.md", "docs/b.bin"),
    },
    expected: kept(["docs/a.md"], [".gitignore", "a.bin", "docs/b.bin"]),
  },
  {
    what: "a .gitignore that excludes the SKILL.md",
    files: { ...root, ".gitignore": "SKILL.md\n", ...junk("a.md") },
    expected: { refused: /has no SKILL.md at its root/ },
  },
  {
    what: "an ignored .env",
    files: { ...root, ".gitignore": ".env\n", ".env": "SECRET=1\n" },
    expected: kept([".gitignore"], [".env"]),
  },
  {
    what: "documents with an executable bit",
    files: {
      "SKILL.md": { data: skillMd("kit"), mode: 0o755 },
      "a.json": { data: "{}", mode: 0o777 },
      tool: run,
    },
    expected: kept(["a.json", "tool*"]),
  },
  { what: "a name with a colon", files: { ...root, ...junk("ab:c.md") }, expected: kept(["ab:c.md"]) },
  {
    what: "a name like a drive",
    files: { ...root, ...junk("a:b.md") },
    expected: { refused: /begins as a drive of Windows does/ },
  },
  { what: "a name of a device", files: { ...root, ...junk("aux.md") }, expected: kept(["aux.md"]) },
  {
    what: "a long path",
    files: { ...root, ...junk(`${"a".repeat(90)}/${"b".repeat(90)}`) },
    expected: kept([`${"a".repeat(90)}/${"b".repeat(90)}`]),
  },
  {
    what: "letters with accents",
    files: { ...root, ...junk("docs/übersicht.md", "参考/说明.md") },
    expected: kept(["docs/übersicht.md", "参考/说明.md"]),
  },
  {
    what: "links",
    files: { ...root, a: { link: "SKILL.md" }, b: { link: "nowhere" }, "c/d": { link: "../SKILL.md" } },
    expected: { refused: /These are links: "a", "b", "c\/d"/ },
  },
  { what: "one link", files: { ...root, a: { link: "SKILL.md" } }, expected: { refused: /^"a" is a link/ } },
  {
    what: "a skill.md",
    files: { "skill.md": skillMd("kit"), "a.md": "x" },
    expected: { refused: /has no SKILL.md at its root/ },
  },
  {
    what: "another spelling of the sync's record",
    files: { ...root, ...junk(".SVC.json") },
    expected: { refused: /written by the service itself/ },
  },
  {
    what: "submodules",
    files: { ...root, ...junk(".gitmodules") },
    expected: { refused: /declares submodules/ },
  },
  {
    what: "a control character",
    files: { ...root, ...junk("a\u0007b") },
    expected: { refused: /control character/ },
  },
  { what: "an empty file", files: { ...root, "empty.md": "" }, expected: kept(["empty.md"]) },
  {
    what: "another skill below",
    files: { ...root, "more/SKILL.md": skillMd("more") },
    expected: kept(["more/SKILL.md"]),
  },
  {
    what: "folders with names of files that are left out",
    files: { ...root, ...junk("desktop.ini/a.md", "docs~/a.md") },
    expected: kept([], ["desktop.ini/", "docs~/"]),
  },
  { what: "a backslash", files: { ...root, ...junk("a\\b") }, expected: { refused: /backslash/ } },
  {
    what: "names that differ by case",
    files: { ...root, ...junk("a.txt", "A.txt") },
    expected: { refused: /one name on systems that ignore case/ },
  },
  {
    what: "too many files",
    files: { ...root, ...junk(...Array.from({ length: 500 }, (_, i) => `f/${i}`)) },
    expected: { refused: /more than 500 files/ },
  },
  {
    what: "many files that are left out",
    files: { ...root, ...junk(...Array.from({ length: 600 }, (_, i) => `node_modules/${i}`)) },
    expected: kept([], ["node_modules/"]),
  },
];
