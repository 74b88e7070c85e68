/** Writes versions as commits, large ones in a worker thread, and makes them known to the readers of this process. */
import { stat } from "node:fs/promises";
import { noteCount } from "../../contract/observation.ts";
import { asRepoError } from "../errors.ts";
import type { ThreadPool } from "../threads/thread-pool.ts";
import { assembleCommit } from "./assemble.ts";
import type { PackStore } from "./driver.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { DriverOptions } from "./open-driver.ts";
import { PackIndex } from "./pack/format.ts";
import type {
  AssembledCommit,
  AssembledDraft,
  CommitDraft,
  Identity,
  RepoId,
  VersionDraft,
  WrittenCommit,
} from "./types.ts";
import type { VersionReader } from "./version-reader.ts";
import { runJob, threadBytes } from "./worker/jobs.ts";
import { type WrittenVersion, openSource, writeCommitOnly, writeVersion } from "./write-version.ts";

export interface CommitWriterParts {
  /** Options with which worker threads open the driver. */
  driver: DriverOptions;
  committer: Identity;
  packs: PackStore;
  objects: ObjectReader;
  versions: VersionReader;
  threads: ThreadPool;
}

/** `onWritten` is called after each new pack. */
export function openCommitWriter(parts: CommitWriterParts, onWritten: (repo: RepoId) => void) {
  const { driver, committer, packs, objects, versions, threads } = parts;

  function register(repo: RepoId, { pack, objects: fresh }: Omit<WrittenVersion, "written">): void {
    objects.views.add(repo, pack.pack, new PackIndex(toBuffer(pack.index)), pack.bytes);
    for (const { oid, object } of fresh)
      objects.remember(repo, oid, { ...object, data: toBuffer(object.data) });
    noteCount("packs", { reason: "publish" });
    noteCount("packBytes", { reason: "publish" }, pack.bytes);
    onWritten(repo);
  }

  function registerVersion(repo: RepoId, version: WrittenVersion): WrittenCommit {
    register(repo, version);
    return version.written;
  }

  return {
    async write(repo: RepoId, draft: VersionDraft): Promise<WrittenCommit> {
      const { parent, source } = draft;
      // Objects of the parent's tree are permanent; any other may belong to a publish that failed.
      const known = parent === undefined ? new Set<string>() : await versions.contentIds(repo, parent);
      const zip =
        source.kind === "zip" && (await zipBytes(source.path)) <= threadBytes
          ? await openSource(source)
          : undefined;
      if (source.kind === "zip" && (zip === undefined || zip.totalBytes > threadBytes)) {
        zip?.close();
        return registerVersion(
          repo,
          await runJob(threads, { kind: "version", driver, repo, draft, known, committer }),
        );
      }
      return registerVersion(repo, await writeVersion(packs, repo, draft, known, committer, zip));
    },
    /** Writes another commit of the same tree. */
    async rewrite(repo: RepoId, written: WrittenCommit, draft: CommitDraft): Promise<WrittenCommit> {
      if (draft.parent !== undefined) await versions.treeOf(repo, draft.parent);
      return registerVersion(repo, await writeCommitOnly(packs, repo, written, draft, committer));
    },
    /** Writes a commit of versions of other repositories. */
    async assemble(repo: RepoId, draft: AssembledDraft): Promise<AssembledCommit> {
      const written =
        draft.copiedBytes > threadBytes
          ? await runJob(threads, { kind: "assembly", driver, repo, draft, committer })
          : await assembleCommit(packs, objects, repo, draft, committer);
      register(repo, written);
      return written.assembled;
    },
  };
}

async function zipBytes(path: string): Promise<number> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw asRepoError(error, "open the spooled zip");
  });
  return size;
}

/** Buffers arrive from a thread as plain byte arrays. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
