import { limits } from "../limits.ts";
import { oneLineText } from "./unsafe-characters.ts";

/**
 * Rules for the content of a package, applied by the client before an upload, by the reader of an uploaded zip, and by
 * the Git store before a path enters a tree. Pure: readers count the bytes.
 */

/** Git's modes of the two kinds of file a version may hold: plain, and executable. */
export const fileModes = ["100644", "100755"] as const;
export type FileMode = (typeof fileModes)[number];

/** The closed list of reasons. A code is stable; its message may change. */
export const packageRules = [
  "empty",
  "root_file_missing",
  "too_many_files",
  "too_large_compressed",
  "too_large",
  "path_empty",
  "path_absolute",
  "path_drive",
  "path_backslash",
  "path_control",
  "path_encoding",
  "path_dot",
  "path_git",
  "path_reserved",
  "path_too_long",
  "component_too_long",
  "too_deep",
  "duplicate",
  "duplicate_case",
  "file_and_folder",
  "symlink",
  "submodule",
  "special_file",
  "encrypted",
  "unsupported_method",
  "size_mismatch",
  "checksum_mismatch",
  "malformed_zip",
  "ignore_too_costly",
] as const;

export type PackageRule = (typeof packageRules)[number];

/** A package that may not be stored: the rule that it violates, the path, and the remedy. */
export class PackageError extends Error {
  override readonly name = "PackageError";
  readonly rule: PackageRule;
  /** The offending path as it was given, if one path is to blame. */
  readonly path: string | undefined;

  constructor(rule: PackageRule, message: string, path?: string, options?: { cause?: unknown }) {
    super(message, options);
    this.rule = rule;
    this.path = path;
  }
}

export interface PackageLimits {
  files: number;
  compressedBytes: number;
  uncompressedBytes: number;
  pathBytes: number;
  componentBytes: number;
  /** Components of a path. Without it 500 long paths would make a million folders. */
  depth: number;
}

export const packageLimits: PackageLimits = {
  files: limits.packageFiles,
  compressedBytes: limits.packageCompressedBytes,
  uncompressedBytes: limits.packageUncompressedBytes,
  pathBytes: 4096,
  componentBytes: 255,
  depth: 32,
};

/** Code points that HFS+ ignores in names, so that `.g\u200cit` opens `.git` there. */
const hfsIgnored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether a component opens Git's own folder on any of the file systems a clone may land on. */
function isDotGit(component: string): boolean {
  const plain = component.replace(hfsIgnored, "").toLowerCase();
  // NTFS drops trailing dots and spaces, and reads `name:stream` as `name`.
  const ntfs = plain.replace(/:.*$/s, "").replace(/[. ]+$/, "");
  return ntfs === ".git" || ntfs === "git~1" || plain === ".git";
}

/** Whether file systems read the name as `.gitmodules`: clones fetch elsewhere, and hosts refuse pushes. */
function isDotGitmodules(component: string): boolean {
  const plain = component.replace(hfsIgnored, "").toLowerCase();
  const ntfs = plain.replace(/:.*$/s, "").replace(/[. ]+$/, "");
  if (ntfs === ".gitmodules" || /^gitmod~[1-4]$/.test(ntfs)) return true;
  return ntfs.length === 8 && /^(?:gi7eba|gi7eb|gi7e|gi7|gi|g)?~[1-9][0-9]*$/.test(ntfs);
}

/** Order of the UTF-8 bytes, which is the order of code points; `<` on strings differs above U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const leftHigh = left >= 0xd800 && left <= 0xdfff;
    const rightHigh = right >= 0xd800 && right <= 0xdfff;
    return leftHigh === rightHigh ? left - right : leftHigh ? 1 : -1;
  }
  return a.length - b.length;
}

/** Bytes of the text in UTF-8. */
export function utf8Length(text: string): number {
  // Looked for rather than matched from end to end, which keeps a place to return to for each character.
  // oxlint-disable-next-line no-control-regex -- all but ASCII
  if (!/[^\0-\x7f]/.test(text)) return text.length;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    // Each half of a surrogate pair counts two of its four bytes.
    else bytes += unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
  }
  return bytes;
}

/** A path as it may be shown in a sentence: control characters would let a name forge the rest of it. */
export function shownPath(path: string): string {
  const short = path.length > 120 ? `${path.slice(0, 117)}...` : path;
  return JSON.stringify(short);
}

/** Throws the first rule that a file's path violates on its own. Paths are relative, with `/` between components. */
export function checkPackagePath(path: string, bounds: PackageLimits = packageLimits): void {
  const refuse = (rule: PackageRule, why: string): never => {
    throw new PackageError(rule, `${shownPath(path)} ${why}`, path);
  };
  if (path === "") refuse("path_empty", "is an empty name: give the file a name.");
  // oxlint-disable-next-line no-control-regex -- control characters are what this refuses
  if (/[\0-\x1f\x7f-\x9f]/.test(path)) refuse("path_control", "has a control character: rename the file.");
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(path))
    refuse("path_encoding", "is not valid Unicode: rename the file.");
  if (path.includes("\\"))
    refuse("path_backslash", "has a backslash: zip the folder with a tool that writes forward slashes.");
  if (path.startsWith("/")) refuse("path_absolute", "is an absolute path: zip the folder's content instead.");
  if (/^[a-z]:/i.test(path))
    refuse(
      "path_drive",
      "begins as a drive of Windows does, and programs that read zips refuse it: rename the file, or zip the " +
        "folder's content.",
    );
  if (utf8Length(path) > bounds.pathBytes)
    refuse("path_too_long", `is longer than ${bounds.pathBytes} bytes: shorten the names of its folders.`);

  const components = path.split("/");
  if (components.length > bounds.depth)
    refuse("too_deep", `lies more than ${bounds.depth} levels deep: flatten the folders.`);
  for (const component of components) {
    if (component === "")
      refuse("path_empty", "has an empty folder name: remove the doubled or trailing slash.");
    if (component === "." || component === "..")
      refuse("path_dot", 'has a "." or ".." in it: use plain names.');
    if (isDotGit(component))
      refuse("path_git", "would be taken for Git's own folder: leave it out of the package.");
    if (isDotGitmodules(component))
      refuse("submodule", "declares submodules: put the files themselves in the package.");
    if (component.length > bounds.componentBytes / 4 && utf8Length(component) > bounds.componentBytes)
      refuse("component_too_long", `has a name longer than ${bounds.componentBytes} bytes: shorten it.`);
  }
  // Other controls and surrogates were refused above.
  if (!oneLineText.test(path))
    refuse("path_control", "has a character that breaks lines or reorders text: rename the file.");
  if (foldName(path) === ".svc.json")
    refuse("path_reserved", "is written by the service itself: rename or remove the file.");
}

/** Names of the files that the sync writes itself, folded. */
const syncedFiles: readonly string[] = [".svc.json", "skill.md", "rule.md", "readme.md"];

/**
 * Throws the first rule that the name of a directory below `skills/` breaks: the same rule where a branch is read and
 * where it is written, so that no directory is imported that could not be written or removed again.
 */
export function checkDirectoryName(name: string): void {
  if (name.includes("/"))
    throw new PackageError(
      "path_empty",
      `${shownPath(name)} has a slash in its name: rename the directory.`,
      name,
    );
  checkPackagePath(name);
  if (syncedFiles.includes(foldName(name)))
    throw new PackageError(
      "path_reserved",
      `${shownPath(name)} is the name of a file that the service writes: rename the directory.`,
      name,
    );
}

/** Key by which a case-insensitive, normalizing file system would treat two names as the same. */
export function foldName(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/**
 * Collects the paths of one package and throws as soon as they break a rule, alone or together: doubled names,
 * names that differ only by case or Unicode form (folders too), and a file where a folder has to be.
 */
export function collectPaths(bounds: PackageLimits = packageLimits) {
  const files = new Set<string>();
  /** Folded name of every file and folder to its first spelling. */
  const spellings = new Map<string, { path: string; folder: boolean }>();

  const claim = (path: string, folder: boolean, culprit: string): void => {
    const key = foldName(path);
    const known = spellings.get(key);
    if (known === undefined) {
      spellings.set(key, { path, folder });
      return;
    }
    if (known.folder !== folder)
      throw new PackageError(
        "file_and_folder",
        `${shownPath(folder ? path : known.path)} is both a file and a folder: rename one of them.`,
        culprit,
      );
    if (known.path !== path)
      throw new PackageError(
        "duplicate_case",
        `${[known.path, path].sort(compareUtf8).map(shownPath).join(" and ")} are one name on systems that ignore ` +
          "case or Unicode form: rename one.",
        culprit,
      );
    if (!folder)
      throw new PackageError(
        "duplicate",
        `${shownPath(path)} is in the zip twice: create the zip again.`,
        culprit,
      );
  };

  const claimFolders = (path: string): void => {
    // From the inside out: a folder seen before has had its parents claimed with it.
    const fresh: string[] = [];
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const folder = path.slice(0, cut);
      const known = spellings.get(foldName(folder));
      if (known?.folder === true && known.path === folder) break;
      fresh.push(folder);
    }
    for (const folder of fresh.toReversed()) claim(folder, true, path);
  };

  return {
    addFile(path: string): void {
      checkPackagePath(path, bounds);
      if (files.size >= bounds.files)
        throw new PackageError(
          "too_many_files",
          `The package has more than ${bounds.files} files: leave out what the skill does not need.`,
        );
      claimFolders(path);
      claim(path, false, path);
      files.add(path);
    },
    /** A folder entry of an archive: not stored, but checked by the same rules. */
    addFolder(path: string): void {
      checkPackagePath(path, bounds);
      claimFolders(path);
      claim(path, true, path);
    },
    /** To be called after the last path. */
    finish(rootFile?: string): void {
      if (files.size === 0)
        throw new PackageError("empty", "The package has no files: add a SKILL.md and try again.");
      if (rootFile === undefined || files.has(rootFile)) return;
      throw new PackageError(
        "root_file_missing",
        `The package has no ${rootFile} at its root: ${wayTo(rootFile, files)}`,
      );
    },
  };
}

/** Skills that the message about a missing root file names. */
const namedSkills = 10;

/** Remedy for a missing root file: several skills may be in one folder or zip. */
function wayTo(rootFile: string, files: ReadonlySet<string>): string {
  const nested = [...files].filter((path) => path.endsWith(`/${rootFile}`)).map((path) => shownPath(path));
  if (nested.length === 0) return "add one, spelled exactly so.";
  if (nested.length === 1)
    return `it lies at ${nested[0]}; publish that folder, or zip its content instead of a folder around it.`;
  const more = nested.length > namedSkills ? `, and ${nested.length - namedSkills} more` : "";
  return `it has ${nested.length} skills, with ${nested.slice(0, namedSkills).join(", ")}${more}; publish each folder separately.`;
}

/** Checks a whole set of paths; `rootFile` must be among them when given. */
export function checkPackagePaths(
  paths: Iterable<string>,
  options: { rootFile?: string; limits?: PackageLimits } = {},
): void {
  const collected = collectPaths(options.limits);
  for (const path of paths) collected.addFile(path);
  collected.finish(options.rootFile);
}

/**
 * The text whose SHA-256 is a version's content digest: `svc-content 1`, then one line per file, `<mode> <hex
 * SHA-256 of the bytes> <path>`, in UTF-8 byte order of the paths, each line ended by a line feed. Paths hold no
 * control characters, so no two packages share a text.
 */
export function canonicalContent(files: readonly { path: string; mode: string; sha256: string }[]): string {
  const sorted = files.toSorted((a, b) => compareUtf8(a.path, b.path));
  return `svc-content 1\n${sorted.map((file) => `${file.mode} ${file.sha256} ${file.path}\n`).join("")}`;
}
