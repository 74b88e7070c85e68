/** The files of one skill's directory. Files that a version can't contain are reported, not thrown. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import {
  PackageError,
  collectPaths,
  compareUtf8,
  packageLimits,
  type FileMode,
} from "../../contract/checks/package-rules.ts";
import { sizeText } from "../../contract/text/size-text.ts";
import { writeZip } from "../archive/index.ts";
import { asRepoError } from "../errors.ts";
import type { RawTreeEntry } from "../store/objects.ts";
import { isEnvironment, isRecord, maxLeftOut, reasonByEntry } from "./content.ts";
import type { ScanContext } from "./scan.ts";
import { isFileMode, isFolder } from "./trees.ts";
import type { DirectoryListing, RefusedFile, RemoteFile, RemoteSkill } from "./types.ts";

const maxFolders = 2000;
const maxRefused = 100;
/** A pointer file of Git LFS is shorter than this, and begins so. */
const pointerBytes = 1024;
const pointerStart = "version https://git-lfs.github.com/spec/";
/** Files above this size are streamed into a zip. */
const heldFileBytes = 1024 * 1024;

type Refuse = (path: string, why: RefusedFile["why"], message: string) => void;

export async function listSkill(
  context: ScanContext,
  skill: Pick<RemoteSkill, "tree" | "rootFile">,
): Promise<DirectoryListing> {
  const refused: RefusedFile[] = [];
  const refuse: Refuse = (path, why, message) => {
    if (refused.length < maxRefused) refused.push({ path, why, message });
  };
  const found = await walk(context, skill.tree, refuse);
  const files = await withSizes(context, found, refuse);
  files.sort((a, b) => compareUtf8(a.path, b.path));
  const totalBytes = files.reduce((sum, file) => sum + file.size, 0);
  if (totalBytes > packageLimits.uncompressedBytes)
    refuse(
      "",
      "too_large",
      `The files have ${sizeText(totalBytes)} in total, over ${sizeText(packageLimits.uncompressedBytes)}.`,
    );
  if (skill.rootFile === "RULE.md" && files.length > 1)
    refuse(
      files.find(({ path }) => path !== "RULE.md")?.path ?? "",
      "rule_with_files",
      "A rule is one file: move the others away, or make it a skill with a SKILL.md.",
    );
  return { files, totalBytes, refused };
}

interface Found {
  path: string;
  mode: FileMode;
  oid: string;
}

async function walk({ trees }: ScanContext, root: string, refuse: Refuse): Promise<Found[]> {
  const files: Found[] = [];
  const paths = collectPaths();
  let looked = 0;
  let leftOut = 0;
  for (let level = [{ prefix: "", tree: root }]; level.length > 0;) {
    looked += level.length;
    const read = looked > maxFolders ? undefined : await trees.trees(level.map(({ tree }) => tree));
    if (read === undefined) {
      refuse("", "too_many_files", `The directory has more than ${maxFolders} folders.`);
      return files;
    }
    const below: typeof level = [];
    for (const { prefix, tree } of level) {
      const entries = read.get(tree) ?? [];
      if (prefix !== "" && isEnvironment(entries)) {
        leftOut++;
        continue;
      }
      for (const entry of entries) {
        if (prefix === "" && isRecord(entry)) continue;
        if (reasonByEntry(entry) !== undefined) {
          leftOut++;
          continue;
        }
        const path = `${prefix}${entry.name ?? entry.nameBytes.toString("latin1")}`;
        if (files.length > packageLimits.files) return files;
        try {
          if (!isUsable(entry, path, refuse)) continue;
          if (isFolder(entry)) {
            paths.addFolder(path);
            below.push({ prefix: `${path}/`, tree: entry.oid });
            continue;
          }
          paths.addFile(path);
        } catch (error) {
          if (!(error instanceof PackageError)) throw error;
          refuse(path, error.rule, error.message);
          if (error.rule === "too_many_files") return files;
          continue;
        }
        files.push({ path, mode: isExecutable(entry.mode) ? "100755" : "100644", oid: entry.oid });
      }
    }
    level = below;
  }
  if (leftOut > maxLeftOut)
    refuse(
      "",
      "too_many_files",
      `More than ${maxLeftOut} of its files and folders are no part of a skill: delete them.`,
    );
  return files;
}

const isExecutable = (mode: string) => (Number.parseInt(mode, 8) & 0o100) !== 0;

function isUsable(entry: RawTreeEntry, path: string, refuse: Refuse): boolean {
  if (entry.name === undefined) refuse(path, "name_not_text", "The file's name is not UTF-8: rename it.");
  else if (entry.mode === "120000")
    refuse(path, "symlink", "A skill can't hold a symbolic link: put the file itself there.");
  else if (entry.mode === "160000")
    refuse(path, "submodule", "A skill can't hold a submodule: put the files themselves there.");
  else if (!isFolder(entry) && !isFileMode(entry.mode))
    refuse(path, "file_mode", `A file of mode ${entry.mode} can't be in a skill.`);
  else return true;
  return false;
}

async function withSizes(
  { objects, repo }: ScanContext,
  found: readonly Found[],
  refuse: Refuse,
): Promise<RemoteFile[]> {
  const heads = await objects.heads(
    repo,
    found.map(({ oid }) => oid),
  );
  const files = found.map((file) => ({ ...file, size: heads.get(file.oid)?.size ?? 0 }));
  const small = files.filter(({ size }) => size > pointerStart.length && size < pointerBytes);
  let i = 0;
  for await (const data of objects.sequence(
    repo,
    small.map(({ oid }) => oid),
    "blob",
  )) {
    const { path } = small[i++]!;
    if (data.toString("latin1", 0, pointerStart.length) === pointerStart)
      refuse(path, "lfs_pointer", "The file lies in Git LFS, which is not fetched: commit the file itself.");
  }
  return files;
}

export async function writeListingZip(
  { objects, repo }: ScanContext,
  files: readonly RemoteFile[],
  path: string,
  replace: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const members = files.map((file) => {
    const other = replace.get(file.path);
    return {
      path: file.path,
      mode: file.mode,
      size: other?.length ?? file.size,
      open: async () =>
        other ??
        (file.size > heldFileBytes
          ? (await objects.stream(repo, file.oid)).stream
          : objects.read(repo, file.oid, "blob")),
    };
  });
  try {
    await pipeline(writeZip(members), createWriteStream(path, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    throw asRepoError(error, "write a zip");
  }
}
