/**
 * Decides which files of a folder, a zip or a drop belong to the package: the same for everything that reads them. What
 * is left out is reported (`leftOutSentence`), not refused. Pure.
 */
import { PackageError, compareUtf8, packageLimits } from "../checks/package-rules.ts";
import {
  ignoreFiles,
  matchesPattern,
  parseIgnoreFile,
  type IgnorePattern,
  type MatchWork,
} from "./ignore-patterns.ts";
import { environmentMarker, reasonByNameOf, type LeftOut, type LeftOutReason } from "./left-out.ts";

/** Written by the sync at the root of a directory, and never part of a version. */
const syncRecord = ".svc.json";

export class LeaveOutRules {
  /** Patterns by folder, outermost first: those of the deepest folder win. */
  readonly #patterns: { folder: string; patterns: IgnorePattern[] }[] = [];
  readonly #work: MatchWork;
  /** Path of the package's folder, with a slash at the end, in the folder that the patterns refer to. */
  #package = "";

  /** `comparisons`: limit of the work, beyond which `isIgnored` throws `PackageError`; none by default. */
  constructor(comparisons = Number.POSITIVE_INFINITY) {
    this.#work = { left: comparisons };
  }

  /** The same rules for a package in a folder below. */
  below(folder: string): LeaveOutRules {
    const rules = new LeaveOutRules(this.#work.left);
    rules.#patterns.push(...this.#patterns);
    rules.#package = `${this.#package}${folder}/`;
    return rules;
  }

  /**
   * Adds the ignore file of a folder (`""`: of the package). Files of outer folders, and `.gitignore` before
   * `.svcignore`, come first.
   */
  addIgnoreFile(folder: string, text: string): void {
    const patterns = parseIgnoreFile(text);
    const path = `${this.#package}${folder}`.replace(/\/$/, "");
    if (patterns.length > 0) this.#patterns.push({ folder: path, patterns });
  }

  /**
   * Why a file or folder is left out; undefined if it is kept. Files in a folder that is left out are not asked for.
   * `isEnvironment`: the folder has a `pyvenv.cfg`.
   */
  reasonFor(path: string, isFolder: boolean, isEnvironment = false): LeftOutReason | undefined {
    const byName = reasonByNameOf(path.slice(path.lastIndexOf("/") + 1));
    if (byName !== undefined) return byName;
    if (path === syncRecord && !isFolder) return "sync_record";
    if (isEnvironment) return "virtual_environment";
    return this.isIgnored(path, isFolder) ? "ignored" : undefined;
  }

  /** Whether the patterns exclude a path. */
  isIgnored(path: string, isFolder: boolean): boolean {
    let isIgnored = false;
    for (const { folder, patterns } of this.#patterns) {
      const relative = inside(folder, `${this.#package}${path}`);
      if (relative !== undefined)
        for (const pattern of patterns)
          if (pattern.keeps === isIgnored && matchesPattern(pattern, relative, isFolder, this.#work))
            isIgnored = !pattern.keeps;
      if (this.#work.left < 0)
        throw new PackageError(
          "ignore_too_costly",
          "The .gitignore and .svcignore files have too many or too complicated patterns: leave them out of the zip.",
        );
    }
    return isIgnored;
  }
}

/** The files that are part of a package by their names. */
export function keepByName<T extends { path: string }>(files: readonly T[]): T[] {
  const paths = files.map(({ path }) => path);
  return selectBy(files, paths, new LeaveOutRules(), []).map(({ entry }) => entry);
}

/** The path, or the folder around it, that is left out by its name. */
export function leftOutByName(path: string): LeftOut | undefined {
  const rules = new LeaveOutRules();
  for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) {
    const reason = rules.reasonFor(path.slice(0, end), true);
    if (reason !== undefined) return { path: path.slice(0, end + 1), reason };
  }
  const reason = rules.reasonFor(path, false);
  return reason && { path, reason };
}

function inside(folder: string, path: string): string | undefined {
  if (folder === "") return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

/** Comparisons for one list of files, which take up to about 0.1 s. */
const maxComparisons = 10_000_000;
/** Ignore files that are read. A package has at most 500 files. */
const maxIgnoreFiles = 500;

/** The files of a package among those that were listed. */
export interface Selection<T> {
  /** With their paths in the package. */
  files: { path: string; entry: T }[];
  leftOut: LeftOut[];
  /** The folder around all files, which was entered, or `""`. */
  folder: string;
}

/**
 * Selects the files of a package from a flat list, as of a zip. `readIgnoreFile` returns the text of a `.gitignore` or
 * `.svcignore`.
 */
export async function selectFiles<T extends { path: string }>(
  entries: readonly T[],
  readIgnoreFile: (entry: T) => Promise<string> | string,
): Promise<Selection<T>> {
  const leftByName: LeftOut[] = [];
  const named = selectBy(
    entries,
    entries.map(({ path }) => path),
    new LeaveOutRules(),
    leftByName,
  );
  const folder = folderAround(named.map(({ path }) => path));
  const inner = named.map((file) => ({ ...file, path: inside(folder, file.path)! }));
  const leftOut = leftByName.map((one) => ({ ...one, path: inside(folder, one.path) ?? one.path }));
  const rules = new LeaveOutRules(maxComparisons);
  const ignoring = inner
    .flatMap((file) => {
      const order = ignoreFiles.indexOf(file.path.slice(file.path.lastIndexOf("/") + 1));
      return order < 0 ? [] : [{ ...file, folder: parentOf(file.path), order }];
    })
    .sort(
      (a, b) => a.folder.length - b.folder.length || compareUtf8(a.folder, b.folder) || a.order - b.order,
    );
  // Nothing in an ignored folder is read, nor are its patterns applied, which then have no files to apply to.
  for (const file of ignoring.slice(0, maxIgnoreFiles))
    rules.addIgnoreFile(file.folder, await readIgnoreFile(file.entry));
  const files = selectBy(
    inner.map(({ entry }) => entry),
    inner.map(({ path }) => path),
    rules,
    leftOut,
  );
  return { files, leftOut: leftOut.sort((a, b) => compareUtf8(a.path, b.path)), folder };
}

/** Components of a path whose folders are looked at. */
const deepest = 2 * packageLimits.depth;

function selectBy<T>(
  entries: readonly T[],
  paths: readonly string[],
  rules: LeaveOutRules,
  leftOut: LeftOut[],
): { path: string; entry: T }[] {
  const environments = new Set(
    paths.filter((path) => path.endsWith(`/${environmentMarker}`)).map((path) => parentOf(path)),
  );
  /** Whether a folder is kept. */
  const kept = new Map<string, boolean>([["", true]]);
  const report = (path: string, reason: LeftOutReason | undefined) => {
    if (reason !== undefined) leftOut.push({ path, reason });
    return reason === undefined;
  };
  const isInKept = (path: string): boolean => {
    const direct = kept.get(parentOf(path));
    if (direct !== undefined) return direct;
    for (let cut = path.indexOf("/"); cut > 0; cut = path.indexOf("/", cut + 1)) {
      const folder = path.slice(0, cut);
      let isKept = kept.get(folder);
      if (isKept === undefined) {
        isKept = report(`${folder}/`, rules.reasonFor(folder, true, environments.has(folder)));
        kept.set(folder, isKept);
      }
      if (!isKept) {
        kept.set(parentOf(path), false);
        return false;
      }
    }
    return true;
  };
  return paths.flatMap((path, index) =>
    isTooDeep(path) || (isInKept(path) && report(path, rules.reasonFor(path, false)))
      ? [{ path, entry: entries[index]! }]
      : [],
  );
}

/** Such paths are refused later, also below folders that are left out: looking at all of their folders takes long. */
const isTooDeep = (path: string) => path.length > packageLimits.pathBytes || path.split("/").length > deepest;

const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

/** The first folder of all paths, if there is one. */
function folderAround(paths: readonly string[]): string {
  const first = paths[0] ?? "";
  const folder = first.slice(0, Math.max(first.indexOf("/"), 0));
  return folder !== "" && paths.every((path) => path.startsWith(`${folder}/`)) ? folder : "";
}
