/**
 * Turns a draft into one pack: new blobs, new trees, the commit. Runs on the main thread for small versions and in
 * a worker thread for large ones; it knows the disk through `PackStore` alone.
 */
import { createHash } from "node:crypto";
import {
  PackageError,
  canonicalContent,
  checkPackagePaths,
  compareUtf8,
  fileModes,
  packageLimits,
  type FileMode,
} from "../../contract/checks/package-rules.ts";
import { sizeText } from "../../contract/text/size-text.ts";
import { openZipPackage, type ZipPackage } from "../archive/index.ts";
import { RepoError, asRepoError } from "../errors.ts";
import type { PackStore } from "./driver.ts";
import { formatMessage } from "./message.ts";
import { buildTrees, encodeCommit, hashObject, type GitObject } from "./objects.ts";
import { PackWriter, deflateObject, type PublishedPack } from "./pack/writer.ts";
import type {
  CommitDraft,
  FileEntry,
  Identity,
  RepoId,
  TreeSource,
  VersionDraft,
  WrittenCommit,
} from "./types.ts";

/** Files up to this size are held in memory while they are hashed and deflated; larger ones are read twice. */
const heldFileBytes = 8 * 1024 * 1024;
/** Bytes and files that may be waiting for the thread pool at a time. */
const windowBytes = 16 * 1024 * 1024;
const windowFiles = 16;

export interface WrittenVersion {
  written: WrittenCommit;
  pack: PublishedPack;
  /** The commit and its new trees, for the cache. */
  objects: { oid: string; object: GitObject }[];
}

interface SourceFile {
  path: string;
  mode: FileMode;
  size: number;
  read(): Promise<Buffer> | Buffer;
  chunks(): AsyncIterable<Buffer>;
}

/**
 * Writes a version's pack. `known` are the ids in the parent's tree, whose objects are permanent.
 * `opened` is the source's zip if the caller has opened it already.
 */
export async function writeVersion(
  packs: PackStore,
  repo: RepoId,
  draft: VersionDraft,
  known: ReadonlySet<string>,
  committer: Identity,
  opened?: ZipPackage,
): Promise<WrittenVersion> {
  const zip = draft.source.kind === "zip" ? (opened ?? (await openSource(draft.source))) : undefined;
  const writer = new PackWriter(packs, repo, draft.parent === undefined ? "create" : "existing");
  try {
    const fresh = await writeBlobs(writer, zip?.files ?? memoryFiles(draft.source), known);
    const files = [...keptIn(draft.source), ...fresh].toSorted((a, b) => compareUtf8(a.path, b.path));
    const { rootOid, trees } = buildTrees(files);
    const objects: WrittenVersion["objects"] = [];
    for (const { oid, data } of trees) {
      objects.push({ oid, object: { type: "tree", data } });
      if (!known.has(oid) && !writer.has(oid))
        await writer.add("tree", oid, data.length, await deflateObject(data));
    }
    const content = {
      treeOid: rootOid,
      digest: createHash("sha256").update(canonicalContent(files)).digest("hex"),
      files,
      fileCount: files.length,
      totalBytes: files.reduce((sum, file) => sum + file.size, 0),
    };
    const commit = await writeCommitObject(writer, content.treeOid, content.digest, draft, committer);
    objects.push({ oid: commit.oid, object: { type: "commit", data: commit.data } });
    const pack = await writer.publish();
    return { written: { oid: commit.oid, ...content, packBytes: pack.bytes }, pack, objects };
  } catch (error) {
    await writer.discard();
    throw error;
  } finally {
    zip?.close();
  }
}

/** Only a commit, on a tree that is there. */
export async function writeCommitOnly(
  packs: PackStore,
  repo: RepoId,
  written: WrittenCommit,
  draft: CommitDraft,
  committer: Identity,
): Promise<WrittenVersion> {
  const writer = new PackWriter(packs, repo, "existing");
  const { oid, data } = await writeCommitObject(writer, written.treeOid, written.digest, draft, committer);
  const pack = await writer.publish();
  const packBytes = written.packBytes + pack.bytes;
  return {
    written: { ...written, oid, packBytes },
    pack,
    objects: [{ oid, object: { type: "commit", data } }],
  };
}

export async function openSource(source: TreeSource & { kind: "zip" }): Promise<ZipPackage> {
  try {
    return await openZipPackage(source.path, source);
  } catch (error) {
    throw asRepoError(error, "open the spooled zip");
  }
}

async function writeCommitObject(
  writer: PackWriter,
  treeOid: string,
  digest: string,
  draft: CommitDraft,
  committer: Identity,
): Promise<{ oid: string; data: Buffer }> {
  for (const key of Object.keys(draft.trailers))
    if (!/^Svc-[A-Za-z-]+$/.test(key) || key === "Svc-Content")
      throw new RepoError("invalid_draft", `${JSON.stringify(key)} can't be the key of a trailer`);
  const data = encodeCommit({
    treeOid,
    parents: draft.parent === undefined ? [] : [draft.parent],
    author: draft.author,
    committer: draft.committer ?? committer,
    at: draft.at,
    text: formatMessage(draft.message, { ...draft.trailers, "Svc-Content": `sha256:${digest}` }),
  });
  const oid = hashObject("commit", data);
  await writer.add("commit", oid, data.length, await deflateObject(data));
  return { oid, data };
}

const keptIn = (source: TreeSource) => (source.kind === "edit" ? source.kept : []);

/** Files in memory are held to the rules of a package too: nothing else may become a tree. */
function memoryFiles(source: TreeSource): SourceFile[] {
  const files = source.kind === "zip" ? [] : source.files;
  const kept = keptIn(source);
  checkPackagePaths([...kept, ...files].map((file) => file.path));
  let total = kept.reduce((sum, file) => sum + file.size, 0);
  for (const file of files) {
    total += file.data.length;
    if (!fileModes.includes(file.mode))
      throw new RepoError("invalid_draft", `mode ${file.mode} is not a file's`);
  }
  if (total > packageLimits.uncompressedBytes)
    throw new PackageError(
      "too_large",
      `The files have ${sizeText(total)} in total, over ${sizeText(packageLimits.uncompressedBytes)}: leave out what the skill does not need.`,
    );
  return files
    .toSorted((a, b) => compareUtf8(a.path, b.path))
    .map(({ path, mode, data }) => ({
      path,
      mode,
      size: data.length,
      read: () => data,
      async *chunks() {
        yield data;
      },
    }));
}

async function writeBlobs(
  writer: PackWriter,
  files: readonly SourceFile[],
  known: ReadonlySet<string>,
): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  /** Being deflated, in the order in which they go into the pack. */
  const window: { oid: string; size: number; deflated: Buffer | Promise<Buffer> }[] = [];
  const queued = new Set<string>();
  let waiting = 0;

  const settleOldest = async () => {
    const oldest = window.shift();
    if (oldest === undefined) return;
    const deflated = await oldest.deflated;
    waiting -= oldest.size;
    await writer.add("blob", oldest.oid, oldest.size, deflated);
  };
  const full = () => window.length >= windowFiles || waiting > windowBytes;
  const settleAll = async () => {
    while (window.length > 0) await settleOldest();
  };

  try {
    for (const file of files) {
      const { path, mode, size } = file;
      if (size > heldFileBytes) {
        const { oid, sha256 } = await hashChunks(file);
        entries.push({ path, mode, size, sha256, oid });
        if (known.has(oid) || queued.has(oid)) continue;
        queued.add(oid);
        await settleAll();
        await writer.addStream(oid, size, file.chunks());
        continue;
      }
      const data = await file.read();
      const oid = hashObject("blob", data);
      entries.push({ path, mode, size, sha256: createHash("sha256").update(data).digest("hex"), oid });
      if (known.has(oid) || queued.has(oid)) continue;
      queued.add(oid);
      const deflated = deflateObject(data);
      // A failure is met when its turn comes; until then it must not count as unhandled.
      if (deflated instanceof Promise) deflated.catch(() => undefined);
      window.push({ oid, size, deflated });
      waiting += size;
      while (full()) await settleOldest();
    }
    await settleAll();
  } finally {
    await Promise.allSettled(window.map(async (item) => item.deflated));
  }
  return entries;
}

async function hashChunks(file: SourceFile): Promise<{ oid: string; sha256: string }> {
  const sha1 = createHash("sha1").update(`blob ${file.size}\0`);
  const sha256 = createHash("sha256");
  for await (const piece of file.chunks()) {
    sha1.update(piece);
    sha256.update(piece);
  }
  return { oid: sha1.digest("hex"), sha256: sha256.digest("hex") };
}
