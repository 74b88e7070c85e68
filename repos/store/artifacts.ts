/**
 * Zips of versions, created once and cached on disk: any file may be deleted at any time. A zip's name has the digest
 * that its content was compared with, so an existing zip has been verified.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { canonicalContent } from "../../contract/checks/package-rules.ts";
import { writeZip, type ZipForm, type ZipMember } from "../archive/index.ts";
import { RepoError, asRepoError } from "../errors.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { ListedFile, OpenedZip, RepoId } from "./types.ts";

/** Larger files are streamed into the zip. */
const heldFileBytes = 8 * 1024 * 1024;
const writeBytes = 1024 * 1024;
const touchMs = 60 * 60_000;
let sequence = 0;

/** Tree of a zip, the digest of its content, and whether its files are compressed. */
export interface ZipContent {
  treeOid: string;
  digest: string;
  form: ZipForm;
}

export interface Artifacts {
  open(repo: RepoId, content: ZipContent): Promise<OpenedZip | undefined>;
  /** Path at which `makeArtifact` writes the zip. */
  pathOf(repo: RepoId, content: ZipContent): string;
  erase(repo: RepoId): Promise<void>;
  /** Removes idle zips among the next `limit` ones; returns their number. */
  sweep(idleMs: number, limit: number): Promise<number>;
}

export function openArtifacts(root: string): Artifacts {
  const base = join(root, "cache", "zips");
  const folderOf = (repo: RepoId) => join(base, repo.tenantId, repo.skillId);
  const pathOf = (repo: RepoId, { treeOid, digest, form }: ZipContent) =>
    join(folderOf(repo), `${treeOid}.${digest}.${form === "stored" ? "stored.zip" : "zip"}`);
  /** The last file that a sweep has looked at. A process begins anywhere, so that restarts leave no part out. */
  let position: string | undefined;

  return {
    pathOf,
    async open(repo, content) {
      const path = pathOf(repo, content);
      try {
        const file = await open(path, "r");
        const { size, mtimeMs } = await file.stat();
        // Approximate time of the last use; after a failure the zip may be removed too early.
        if (Date.now() - mtimeMs > touchMs) await utimes(path, new Date(), new Date()).catch(() => undefined);
        return { size, stream: createReadStream(path, { fd: file, highWaterMark: 256 * 1024 }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw asRepoError(error, "open a cached zip");
      }
    },
    async erase(repo) {
      await rm(folderOf(repo), { recursive: true, force: true });
    },
    async sweep(idleMs, limit) {
      let [seen, removed] = [0, 0];
      const begun = (position ??= await anyFolder(base));
      for (const after of [begun, undefined])
        for await (const path of filesBelow(base, after)) {
          if (++seen > limit || (after === undefined && path > begun)) return removed;
          position = path;
          const facts = await stat(path).catch(() => undefined);
          if (facts === undefined || Date.now() - facts.mtimeMs < idleMs) continue;
          await rm(path, { force: true });
          removed++;
        }
      return removed;
    },
  };
}

async function anyFolder(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  return join(folder, names[Math.floor(Math.random() * names.length)] ?? "");
}

/** Files three levels below a folder, in the order of their paths; those behind `after`. */
async function* filesBelow(folder: string, after: string | undefined, depth = 3): AsyncGenerator<string> {
  const names: string[] = await readdir(folder).catch(() => []);
  for (const name of names.toSorted()) {
    const path = join(folder, name);
    if (after !== undefined && path < after.slice(0, path.length)) continue;
    if (depth > 1) yield* filesBelow(path, after, depth - 1);
    else if (path !== after) yield path;
  }
}

/** Writes a version's zip, and compares its content with `digest`: if they differ, discards it and returns false. */
export async function makeArtifact(
  objects: ObjectReader,
  repo: RepoId,
  files: readonly ListedFile[],
  { digest, form }: Pick<ZipContent, "digest" | "form">,
  path: string,
): Promise<boolean> {
  const held = files.filter((file) => file.size <= heldFileBytes);
  const contents = objects.sequence(
    repo,
    held.map((file) => file.oid),
    "blob",
  );
  const hashed: { path: string; mode: string; sha256: string }[] = [];
  const members = files.map((file): ZipMember => ({
    path: file.path,
    mode: file.mode,
    size: file.size,
    async open() {
      if (file.size > heldFileBytes) {
        const hash = createHash("sha256");
        const { stream } = await objects.stream(repo, file.oid);
        return Readable.from(
          (async function* () {
            for await (const piece of stream as AsyncIterable<Buffer>) {
              hash.update(piece);
              yield piece;
            }
            hashed.push({ path: file.path, mode: file.mode, sha256: hash.digest("hex") });
          })(),
          { objectMode: false },
        );
      }
      const next = await contents.next();
      if (next.done === true) throw new RepoError("object_missing", `there is no object ${file.oid}`);
      const sha256 = createHash("sha256").update(next.value).digest("hex");
      hashed.push({ path: file.path, mode: file.mode, sha256 });
      return next.value;
    },
  }));

  const temporary = `${path}.tmp_${process.pid}_${sequence++}_${Date.now().toString(36)}`;
  try {
    await mkdir(join(path, ".."), { recursive: true });
    const file = await open(temporary, "wx");
    try {
      let pending: Buffer[] = [];
      let bytes = 0;
      const flush = async () => {
        await file.appendFile(Buffer.concat(pending, bytes));
        pending = [];
        bytes = 0;
      };
      for await (const piece of writeZip(members, form) as AsyncIterable<Buffer>) {
        pending.push(piece);
        bytes += piece.length;
        if (bytes >= writeBytes) await flush();
      }
      await flush();
      await file.datasync();
    } finally {
      await file.close();
    }
    const found = createHash("sha256").update(canonicalContent(hashed)).digest("hex");
    if (found !== digest) {
      await unlink(temporary);
      return false;
    }
    await rename(temporary, path);
    return true;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw asRepoError(error, "write a zip");
  }
}
