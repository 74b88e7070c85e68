/** Files that are never part of a package: what tools and systems leave behind, by name. Pure. */
import { shownPath } from "../checks/package-rules.ts";

export const leftOutReasons = [
  "ignored",
  "version_control",
  "dependencies",
  "virtual_environment",
  "cache",
  "editor",
  "temporary",
  "system",
  "sync_record",
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** A file that is left out, or a folder with everything in it, whose path ends with a slash. */
export interface LeftOut {
  path: string;
  reason: LeftOutReason;
}

const labels: Record<LeftOutReason, string> = {
  ignored: "ignored by .gitignore or .svcignore",
  version_control: "version control",
  dependencies: "installed dependencies",
  virtual_environment: "virtual environment",
  cache: "cache",
  editor: "settings of an editor",
  temporary: "temporary file",
  system: "file of the operating system",
  sync_record: "record of the repository sync",
};

/** Names in lower case. Systems write some of them in several spellings. */
const namesByReason: Partial<Record<LeftOutReason, readonly string[]>> = {
  version_control: [".git", ".hg", ".svn", ".jj", "cvs"],
  dependencies: ["node_modules", "bower_components", ".pnpm-store"],
  virtual_environment: [".venv", ".tox", ".nox", "__pypackages__", ".direnv"],
  cache: [
    "__pycache__",
    ".cache",
    ".coverage",
    ".eslintcache",
    ".gradle",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nyc_output",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".sass-cache",
    ".terraform",
    ".turbo",
  ],
  editor: [".idea", ".vscode", ".vs", ".fleet"],
  system: [
    ".ds_store",
    "__macosx",
    ".appledouble",
    ".lsoverride",
    ".spotlight-v100",
    ".temporaryitems",
    ".trashes",
    ".fseventsd",
    "icon\r",
    "thumbs.db",
    "ehthumbs.db",
    "desktop.ini",
    "$recycle.bin",
  ],
};

const reasonByName: ReadonlyMap<string, LeftOutReason> = new Map(
  Object.entries(namesByReason).flatMap(([reason, names]) =>
    names.map((name) => [name, reason as LeftOutReason] as const),
  ),
);

const patterns: readonly [RegExp, LeftOutReason][] = [
  [/\.py[cod]$/i, "cache"],
  [/^\._/, "system"],
  [/~$|^\.#|^#.*#$/s, "temporary"],
  [/^\..*\.sw[a-p]$/is, "temporary"],
];

/** File whose presence makes any folder a virtual environment of Python. */
export const environmentMarker = "pyvenv.cfg";

/** Reason why a file or folder of this name is left out. */
export function reasonByNameOf(name: string): LeftOutReason | undefined {
  return reasonByName.get(name.toLowerCase()) ?? patterns.find(([pattern]) => pattern.test(name))?.[1];
}

/** Number of paths that the sentence names. */
const namedPaths = 8;

/** The sentence that reports what is left out; undefined if nothing is. */
export function leftOutSentence(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const named = leftOut
    .slice(0, namedPaths)
    .map(({ path, reason }) => `${shownPath(path)} (${labels[reason]})`);
  const more = leftOut.length - named.length;
  return `Left out: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
}
