/**
 * The driver for a file system: packs as files of a bare repository. With `posix-refs.ts` the only place where the
 * store touches a repository on disk.
 *
 * Order of a write: both files under temporary names, flushed; pack renamed; index renamed last, since a pack
 * without its index does not exist for any reader; folder flushed. A kill leaves temporary files or an invisible
 * pack, which `sweep` removes.
 */
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { RepoError, asRepoError } from "../errors.ts";
import type { PackList, PackStage, PackStore, StoreDriver, PackTarget } from "./driver.ts";
import * as files from "./posix-files.ts";
import { ReadHandles } from "./posix-handles.ts";
import { openPosixRefs } from "./posix-refs.ts";
import type { MirrorId, RepoId, StoredId } from "./types.ts";

export interface PosixOptions {
  root: string;
  readHandles: number;
  staleLockMs: number;
}

const idPattern = /^[0-9a-f]{24}$/;
const packPattern = /^pack-([0-9a-f]{40})\.(pack|idx|replaces)$/;
const handleIdleMs = 10 * 60_000;
/** A temporary file or a pack without index older than this has no writer any more. */
const abandonedMs = 60 * 60_000;

const ownId = (repo: StoredId) => ("skillId" in repo ? repo.skillId : repo.connectionId);

/**
 * `t/<tenantId>/s/<last 2 hex of skillId>/<skillId>.git`, for an ObjectId starts with its time, so its end spreads;
 * `t/<tenantId>/mirror/<connectionId>.git` for a mirror.
 */
export function repoFolder(root: string, repo: StoredId): string {
  const id = ownId(repo);
  if (!idPattern.test(repo.tenantId) || !idPattern.test(id))
    throw new RepoError("invalid_id", "a repository is addressed by two ids of 24 hex digits");
  const place = "skillId" in repo ? join("s", id.slice(-2)) : "mirror";
  return join(root, "t", repo.tenantId, place, `${id}.git`);
}

export function openPosixDriver(given: PosixOptions): StoreDriver {
  const options = { ...given, root: resolve(given.root) };
  const folderOf = (repo: StoredId) => repoFolder(options.root, repo);
  return {
    packs: openPosixPacks(options),
    refs: openPosixRefs(folderOf, options.staleLockMs),
    materialize: async (repo) => folderOf(repo),
  };
}

/** Every file system error leaves the driver as a `RepoError`. */
async function guarded<T>(doing: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asRepoError(error, doing);
  }
}

function openPosixPacks({ root, readHandles }: PosixOptions): PackStore {
  const handles = new ReadHandles(readHandles, handleIdleMs);
  const folderOf = (repo: StoredId) => repoFolder(root, repo);
  const packFolder = (repo: StoredId) => join(folderOf(repo), "objects", "pack");
  const packPath = (repo: StoredId, pack: string) => join(packFolder(repo), `pack-${pack}.pack`);
  const trashFolder = join(root, "trash");
  let erased = 0;

  /** HEAD and refs come first: once `objects/pack` is there, the folder is a repository. */
  async function create(repo: StoredId): Promise<void> {
    const folder = folderOf(repo);
    await files.mkdir(folder, { recursive: true });
    const head = join(folder, files.temporaryName("ref"));
    await files.writeDurably(head, [Buffer.from("ref: refs/heads/main\n")], 0o644);
    await files.rename(head, join(folder, "HEAD"));
    await files.mkdir(join(folder, "refs", "heads"), { recursive: true });
    await files.mkdir(join(folder, "refs", "svc"), { recursive: true });
    await files.mkdir(packFolder(repo), { recursive: true });
    // A name is durable once the folder that holds it is flushed. Even where all were there: a writer killed before
    // this line has left them unflushed.
    const fresh = [join(folder, "objects")];
    for (let at = folder; at.length >= root.length; at = dirname(at)) fresh.push(at);
    await Promise.all(fresh.map(files.syncFolder));
  }

  async function inRepository<T>(repo: StoredId, where: PackTarget, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (files.errorCode(error) !== "ENOENT") throw error;
      if (where === "existing") throw wasErased(error);
      await create(repo);
      return action();
    }
  }

  async function reveal(
    repo: StoredId,
    pack: string,
    temporaryPack: string,
    temporaryIndex: string,
  ): Promise<void> {
    const folder = packFolder(repo);
    try {
      await files.rename(temporaryPack, join(folder, `pack-${pack}.pack`));
      await files.rename(temporaryIndex, join(folder, `pack-${pack}.idx`));
      await files.syncFolder(folder);
    } catch (error) {
      throw files.errorCode(error) === "ENOENT" ? wasErased(error) : error;
    }
  }

  async function put(
    repo: StoredId,
    pack: string,
    bytes: readonly Buffer[],
    index: Buffer,
    where: PackTarget,
  ): Promise<void> {
    const folder = packFolder(repo);
    const temporaryPack = join(folder, files.temporaryName("pack"));
    const temporaryIndex = join(folder, files.temporaryName("idx"));
    const write = async () => {
      const both = await Promise.allSettled([
        files.writeDurably(temporaryPack, bytes, 0o444),
        files.writeDurably(temporaryIndex, [index], 0o444),
      ]);
      const failed = both.find((result) => result.status === "rejected");
      if (failed !== undefined) {
        await files.discard([temporaryPack, temporaryIndex]);
        throw failed.reason;
      }
    };
    await inRepository(repo, where, write);
    await reveal(repo, pack, temporaryPack, temporaryIndex);
  }

  async function stage(repo: StoredId, where: PackTarget): Promise<PackStage> {
    const folder = packFolder(repo);
    const temporaryPack = join(folder, files.temporaryName("pack"));
    const temporaryIndex = join(folder, files.temporaryName("idx"));
    let fd: number | undefined = await inRepository(repo, where, () =>
      files.descriptors.open(temporaryPack, "wx+", 0o444),
    );
    const letGo = async () => {
      const open = fd;
      fd = undefined;
      if (open !== undefined) await files.descriptors.close(open);
    };
    const opened = (): number => {
      if (fd === undefined) throw new RepoError("store_closed", "a staged pack was used after its end");
      return fd;
    };

    return {
      append: (bytes) => guarded("write a pack", () => files.writeAll(opened(), bytes)),
      publish: (header, buildIndex) =>
        guarded("publish a pack", async () => {
          await files.descriptors.write(opened(), header, 0, header.length, 0);
          const checksum = await checksumOf(opened());
          await files.writeAll(opened(), [checksum]);
          const index = buildIndex(checksum);
          await Promise.all([
            files.descriptors.fdatasync(opened()),
            files.writeDurably(temporaryIndex, [index], 0o444),
          ]);
          await letGo();
          const pack = checksum.toString("hex");
          await reveal(repo, pack, temporaryPack, temporaryIndex);
          return { pack, index };
        }),
      discard: async () => {
        await letGo();
        await files.discard([temporaryPack, temporaryIndex]);
      },
    };
  }

  async function list(repo: StoredId): Promise<PackList> {
    const names = await files.orMissing(files.readdir(packFolder(repo)), []);
    const found: Record<string, Set<string>> = { pack: new Set(), idx: new Set(), replaces: new Set() };
    for (const name of names) {
      const match = packPattern.exec(name);
      if (match !== null) found[match[2]!]!.add(match[1]!);
    }
    return { packs: [...found.idx!].filter((name) => found.pack!.has(name)), notes: [...found.replaces!] };
  }

  async function* repositories(): AsyncGenerator<RepoId> {
    for (const tenantId of await files.namesIn(join(root, "t")))
      for (const shard of await files.namesIn(join(root, "t", tenantId, "s")))
        for (const name of await files.namesIn(join(root, "t", tenantId, "s", shard))) {
          const skillId = name.slice(0, -4);
          if (name.endsWith(".git") && idPattern.test(skillId) && idPattern.test(tenantId))
            yield { tenantId, skillId };
        }
  }

  async function* mirrors(): AsyncGenerator<MirrorId> {
    for (const tenantId of await files.namesIn(join(root, "t")))
      for (const name of await files.namesIn(join(root, "t", tenantId, "mirror"))) {
        const connectionId = name.slice(0, -4);
        if (name.endsWith(".git") && idPattern.test(connectionId) && idPattern.test(tenantId))
          yield { tenantId, connectionId };
      }
  }

  async function erase(repo: StoredId): Promise<void> {
    const folder = folderOf(repo);
    handles.release(folder);
    await files.mkdir(trashFolder, { recursive: true });
    const grave = join(trashFolder, `${ownId(repo)}.${Date.now()}.${process.pid}.${erased++}`);
    const moved = await files.orMissing(
      files.rename(folder, grave).then(() => true),
      false,
    );
    if (!moved) return;
    await files.syncFolder(dirname(folder));
    // A reader may have opened a pack while the folder moved.
    handles.release(folder);
    await files.remove(grave, { recursive: true, force: true });
  }

  async function sweepRepository(repo: StoredId): Promise<number> {
    const folder = packFolder(repo);
    const names = new Set(await files.orMissing(files.readdir(folder), []));
    const suspects = [...names].filter(
      (name) =>
        name.startsWith("tmp_") || (name.endsWith(".pack") && !names.has(name.replace(/pack$/, "idx"))),
    );
    const paths = suspects.map((name) => join(folder, name));
    for (const at of [
      folderOf(repo),
      join(folderOf(repo), "refs", "heads"),
      join(folderOf(repo), "refs", "svc"),
    ])
      for (const name of await files.namesIn(at)) if (name.startsWith("tmp_")) paths.push(join(at, name));
    let removed = 0;
    for (const path of paths) {
      const age = await files.ageMs(path);
      if (age === undefined || age < abandonedMs) continue;
      await files.discard([path]);
      removed++;
    }
    return removed;
  }

  return {
    list: (repo) => guarded("list packs", () => list(repo)),
    readIndex: (repo, pack) =>
      guarded("read a pack index", async () => {
        const data = await files.orMissing(
          files.readFile(join(packFolder(repo), `pack-${pack}.idx`)),
          undefined,
        );
        if (data === undefined) throw new RepoError("pack_vanished", `pack ${pack} is gone`);
        return data;
      }),
    size: (repo, pack) => guarded("open a pack", () => handles.size(packPath(repo, pack))),
    read: (repo, pack, offset, length) =>
      guarded("read a pack", () => handles.read(packPath(repo, pack), offset, length)),
    put: (repo, pack, bytes, index, where) =>
      guarded("write a pack", () => put(repo, pack, bytes, index, where)),
    stage: (repo, where) => guarded("write a pack", () => stage(repo, where)),
    supersede: (repo, by, replaced) =>
      guarded("note replaced packs", async () => {
        const note = join(packFolder(repo), files.temporaryName("note"));
        await files.writeDurably(note, [Buffer.from(replaced.map((pack) => `${pack}\n`).join(""))], 0o644);
        await files.rename(note, join(packFolder(repo), `pack-${by}.replaces`));
      }),
    superseded: (repo, by) =>
      guarded("read replaced packs", async () => {
        const path = join(packFolder(repo), `pack-${by}.replaces`);
        const facts = await files.orMissing(files.stat(path), undefined);
        const text = facts === undefined ? "" : (await files.orMissing(files.readFile(path), "")).toString();
        const replaced = text.split("\n").filter((line) => /^[0-9a-f]{40}$/.test(line));
        return { replaced, at: facts?.mtime ?? new Date() };
      }),
    remove: (repo, { packs = [], note }) =>
      guarded("remove replaced packs", async () => {
        const folder = packFolder(repo);
        // Index first: a pack without one is invisible, an index without its pack is an error to native git.
        await files.discard(packs.map((pack) => join(folder, `pack-${pack}.idx`)));
        await files.discard(packs.map((pack) => join(folder, `pack-${pack}.pack`)));
        if (note !== undefined) await files.discard([join(folder, `pack-${note}.replaces`)]);
      }),
    exists: (repo) =>
      guarded("look for a repository", async () => {
        const facts = await files.orMissing(files.stat(packFolder(repo)), undefined);
        return facts !== undefined;
      }),
    repositories,
    mirrors,
    erase: (repo) => guarded("erase a repository", () => erase(repo)),
    sweep: (repo) =>
      guarded("sweep", async () => {
        handles.expire();
        if (repo !== undefined) return { temporary: await sweepRepository(repo), trash: 0 };
        const graves = await files.namesIn(trashFolder);
        for (const grave of graves)
          await files.remove(join(trashFolder, grave), { recursive: true, force: true });
        return { temporary: 0, trash: graves.length };
      }),
    close: () => handles.close(),
  };
}

function wasErased(cause: unknown): RepoError {
  return new RepoError("repository_missing", "the repository was erased", { cause });
}

/** SHA-1 of a file from its start, read in pieces. */
async function checksumOf(fd: number): Promise<Buffer> {
  const hash = createHash("sha1");
  const piece = Buffer.allocUnsafe(1 << 20);
  for (let at = 0; ;) {
    const { bytesRead } = await files.descriptors.read(fd, piece, 0, piece.length, at);
    if (bytesRead === 0) break;
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest();
}
