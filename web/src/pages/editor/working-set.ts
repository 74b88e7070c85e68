/** The files that are being edited, and their differences from the version that they are based on. Pure. */
import { compareUtf8, utf8Length, type FileMode } from "../../../../contract/checks/package-rules.ts";
import type { SkillType } from "../../../../contract/vocabulary.ts";

export interface BaseFile {
  path: string;
  mode: FileMode;
  size: number;
  /** Absent for a version that is one text. */
  sha256?: string;
}

/** The version that an edit starts from; a new skill has none. */
export interface Base {
  version: number;
  semver: string;
  format: "markdown" | "package";
  files: readonly BaseFile[];
}

export interface WorkFile {
  path: string;
  mode: FileMode;
  /** Text that was edited, or bytes that were added. Undefined for the bytes of `from`. */
  data?: string | Blob;
  /** Path in the base of the bytes, which differs after renaming. */
  from?: string;
}

/** A file to add. `isGuessed`: its source has no modes, so a file that it replaces keeps its own. */
export type AddedFile = WorkFile & { isGuessed?: boolean };

export const rootFileOf = (type: SkillType): "SKILL.md" | "RULE.md" =>
  type === "rule" ? "RULE.md" : "SKILL.md";

export function startFiles(base: Base): WorkFile[] {
  return base.files.map(({ path, mode }) => ({ path, mode, from: path }));
}

export type FileChange =
  | { kind: "set"; path: string; data: string | Blob }
  | { kind: "reset"; path: string }
  | { kind: "add"; files: readonly AddedFile[] }
  | { kind: "rename"; path: string; to: string }
  | { kind: "mode"; path: string; mode: FileMode }
  | { kind: "remove"; path: string }
  | { kind: "restore"; file: BaseFile };

/** The files after a change, in the order of their paths. */
export function changeFiles(files: readonly WorkFile[], change: FileChange): WorkFile[] {
  const others = (path: string) => files.filter((file) => file.path !== path);
  const edit = (path: string, fields: (file: WorkFile) => WorkFile) =>
    files.map((file) => (file.path === path ? fields(file) : file));
  switch (change.kind) {
    case "set":
      return edit(change.path, (file) => ({ ...file, data: change.data }));
    case "reset":
      return edit(change.path, ({ path, mode, from }) => ({ path, mode, from: from || undefined }));
    case "rename":
      return sorted(edit(change.path, (file) => ({ ...file, path: change.to })));
    case "mode":
      return edit(change.path, (file) => ({ ...file, mode: change.mode }));
    case "remove":
      return others(change.path);
    case "restore": {
      const { path, mode } = change.file;
      return sorted([...others(path), { path, mode, from: path }]);
    }
    default: {
      // A file that replaces another one keeps its place in the base.
      const old = new Map(files.map((file) => [file.path, file]));
      const added = change.files.map(({ isGuessed = false, ...file }): WorkFile => {
        const before = old.get(file.path);
        return { ...before, ...file, mode: isGuessed && before ? before.mode : file.mode };
      });
      const paths = new Set(added.map(({ path }) => path));
      return sorted([...files.filter(({ path }) => !paths.has(path)), ...added]);
    }
  }
}

const sorted = (files: WorkFile[]) => files.toSorted((a, b) => compareUtf8(a.path, b.path));

export type Status = "added" | "changed" | "removed" | "same";

export function statusOf(file: WorkFile, base: Base | undefined): Status {
  const old = base?.files.find(({ path }) => path === file.path);
  if (!old) return "added";
  return file.data === undefined && file.from === file.path && file.mode === old.mode ? "same" : "changed";
}

/** Files of the base that are no longer there. */
export function removedFiles(files: readonly WorkFile[], base: Base | undefined): BaseFile[] {
  const paths = new Set(files.map(({ path }) => path));
  return base?.files.filter(({ path }) => !paths.has(path)) ?? [];
}

/** Number of files that differ from the base. */
export function countChanges(files: readonly WorkFile[], base: Base | undefined): number {
  return removedFiles(files, base).length + files.filter((file) => statusOf(file, base) !== "same").length;
}

export function sizeOfFile(file: WorkFile, base: Base | undefined): number {
  if (typeof file.data === "string") return utf8Length(file.data);
  return file.data?.size ?? base?.files.find(({ path }) => path === file.from)?.size ?? 0;
}

/** Whether the files are published as one text: only the root file, and not a package already. */
export function isSingleText(files: readonly WorkFile[], base: Base | undefined): boolean {
  const [only] = files;
  return (
    files.length === 1 &&
    /^(?:SKILL|RULE)\.md$/.test(only!.path) &&
    (base?.format ?? "markdown") === "markdown"
  );
}
