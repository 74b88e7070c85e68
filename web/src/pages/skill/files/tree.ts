import type { ManifestFile } from "../../../api/skills/skills.ts";

export interface TreeRow {
  /** Full path; of a folder, without a slash at its end. */
  path: string;
  name: string;
  depth: number;
  /** Undefined for a folder. */
  file: ManifestFile | undefined;
}

/** Files with their folders as rows in the order of a tree: folders before files. */
export function treeRows(files: ManifestFile[]): TreeRow[] {
  const rows = new Map<string, TreeRow>();
  for (const file of files) {
    const parts = file.path.split("/");
    for (let depth = 0; depth < parts.length; depth++) {
      const path = parts.slice(0, depth + 1).join("/");
      const isFile = depth === parts.length - 1;
      if (!rows.has(path))
        rows.set(path, { path, name: parts[depth]!, depth, file: isFile ? file : undefined });
    }
  }
  // A folder sorts before files of its own level, and its content directly after it.
  const keyOf = ({ path, file }: TreeRow) => {
    const parts = path.split("/");
    return parts.map((part, index) => (file && index === parts.length - 1 ? `1${part}` : `0${part}`));
  };
  return [...rows.values()]
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ row }) => row);
}

function compareKeys(a: string[], b: string[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    if (a[index] !== b[index]) return a[index]! < b[index]! ? -1 : 1;
  }
  return a.length - b.length;
}
