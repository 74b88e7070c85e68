/**
 * The driver for a file system: packs as files of a bare repository. With the other `posix-` modules the only place
 * where the store touches a repository on disk.
 *
 * Order of a write: both files under temporary names, flushed; pack renamed; index renamed last, since a pack
 * without its index does not exist for any reader; folder flushed. A kill leaves temporary files or an invisible
 * pack, which `sweep` removes.
 */
import { dirname, join, resolve } from "node:path";
import { RepoError } from "../../errors.ts";
import type { PackList, PackStore, StoreDriver } from "../driver.ts";
import type { StoredId } from "../types.ts";
import * as files from "./files.ts";
import { ReadHandles } from "./handles.ts";
import {
  type PackPaths,
  guarded,
  listMirrors,
  listRepositories,
  ownId,
  packPathsOf,
  repoFolder,
} from "./layout.ts";
import { openPosixRefs } from "./refs.ts";
import { emptyTrash, removeAbandoned } from "./sweep.ts";
import { putPack, stagePack } from "./write.ts";

export interface PosixOptions {
  root: string;
  readHandles: number;
  staleLockMs: number;
}

const packPattern = /^pack-([0-9a-f]{40})\.(pack|idx|replaces)$/;
const handleIdleMs = 10 * 60_000;

export function openPosixDriver(given: PosixOptions): StoreDriver {
  const options = { ...given, root: resolve(given.root) };
  const folderOf = (repo: StoredId) => repoFolder(options.root, repo);
  const packs = openPosixPacks(options);
  return {
    packs,
    refs: openPosixRefs(folderOf, options.staleLockMs),
    materialize: async (repo) => folderOf(repo),
    async writeNatively(repo, write) {
      const before = new Set((await packs.list(repo)).packs);
      await write(folderOf(repo));
      return (await packs.list(repo)).packs.filter((pack) => !before.has(pack));
    },
  };
}

function openPosixPacks({ root, readHandles }: PosixOptions): PackStore {
  const handles = new ReadHandles(readHandles, handleIdleMs);
  const paths = packPathsOf(root);
  const exists = (repo: StoredId) =>
    guarded("look for a repository", async () => {
      const facts = await files.orMissing(files.stat(paths.folder(repo)), undefined);
      return facts !== undefined;
    });
  return {
    list: (repo) => guarded("list packs", () => listPacks(paths.folder(repo))),
    readIndex: (repo, pack) =>
      guarded("read a pack index", async () => {
        const data = await files.orMissing(files.readFile(paths.index(repo, pack)), undefined);
        if (data === undefined) throw new RepoError("pack_vanished", `pack ${pack} is gone`);
        return data;
      }),
    size: (repo, pack) => guarded("open a pack", () => handles.size(paths.pack(repo, pack))),
    read: (repo, pack, offset, length) =>
      guarded("read a pack", () => handles.read(paths.pack(repo, pack), offset, length)),
    recheck: async (repo, pack) => handles.forget(paths.pack(repo, pack)),
    put: (repo, pack, bytes, index, where) =>
      guarded("write a pack", () => putPack(paths, repo, pack, bytes, index, where)),
    stage: (repo, where) => guarded("write a pack", () => stagePack(paths, repo, where)),
    supersede: (repo, by, replaced) =>
      guarded("note replaced packs", async () => {
        const note = join(paths.folder(repo), files.temporaryName("note"));
        await files.writeDurably(note, [Buffer.from(replaced.map((pack) => `${pack}\n`).join(""))], 0o644);
        await files.rename(note, paths.note(repo, by));
      }),
    superseded: (repo, by) =>
      guarded("read replaced packs", async () => {
        const path = paths.note(repo, by);
        const facts = await files.orMissing(files.stat(path), undefined);
        const text = facts === undefined ? "" : (await files.orMissing(files.readFile(path), "")).toString();
        const replaced = text.split("\n").filter((line) => /^[0-9a-f]{40}$/.test(line));
        return { replaced, at: facts?.mtime ?? new Date() };
      }),
    remove: (repo, { packs = [], note }) =>
      guarded("remove replaced packs", async () => {
        // Index first: a pack without one is invisible, an index without its pack is an error to native git.
        await files.discard(packs.map((pack) => paths.index(repo, pack)));
        await files.discard(packs.map((pack) => paths.pack(repo, pack)));
        if (note !== undefined) await files.discard([paths.note(repo, note)]);
      }),
    exists,
    // Lost packs leave their folder.
    wasErased: async (repo) => !(await exists(repo)),
    repositories: (after) => listRepositories(root, { after }),
    toSweep: (after) => listRepositories(root, { after }),
    mirrors: () => listMirrors(root),
    erase: (repo) => guarded("erase a repository", () => eraseRepository(paths, handles, repo)),
    sweep: (repo, keepsTrash = false) =>
      guarded("sweep", async () => {
        handles.expire();
        return repo === undefined
          ? { temporary: 0, trash: keepsTrash ? 0 : await emptyTrash(paths.trash) }
          : { temporary: await removeAbandoned(paths, repo), trash: 0 };
      }),
    ...epochFile(paths),
    close: () => handles.close(),
  };
}

function epochFile(paths: PackPaths): Pick<PackStore, "readEpoch" | "writeEpoch"> {
  return {
    readEpoch: () =>
      guarded("read the epoch", async () =>
        (await files.orMissing(files.readFile(paths.epoch), undefined))?.toString("utf8"),
      ),
    writeEpoch: (text) =>
      guarded("write the epoch", async () => {
        await files.mkdir(paths.root, { recursive: true });
        const part = join(paths.root, files.temporaryName("epoch"));
        await files.writeDurably(part, [Buffer.from(text)], 0o644);
        await files.rename(part, paths.epoch);
        await files.syncFolder(paths.root);
      }),
  };
}

async function listPacks(folder: string): Promise<PackList> {
  const names = await files.orMissing(files.readdir(folder), []);
  const found: Record<string, Set<string>> = { pack: new Set(), idx: new Set(), replaces: new Set() };
  for (const name of names) {
    const match = packPattern.exec(name);
    if (match !== null) found[match[2]!]!.add(match[1]!);
  }
  return { packs: [...found.idx!].filter((name) => found.pack!.has(name)), notes: [...found.replaces!] };
}

/** Numbers the erasures of this process, so that their names in the trash are unique. */
let erasures = 0;

async function eraseRepository(paths: PackPaths, handles: ReadHandles, repo: StoredId): Promise<void> {
  const folder = paths.repository(repo);
  handles.release(folder);
  await files.mkdir(paths.trash, { recursive: true });
  const discarded = join(paths.trash, `${ownId(repo)}.${Date.now()}.${process.pid}.${erasures++}`);
  const moved = await files.orMissing(
    files.rename(folder, discarded).then(() => true),
    false,
  );
  if (!moved) return;
  await files.syncFolder(dirname(folder));
  // A reader may have opened a pack while the folder moved.
  handles.release(folder);
  await files.remove(discarded, { recursive: true, force: true });
}
