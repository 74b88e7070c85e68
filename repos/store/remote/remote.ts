/**
 * The driver for an object store. Packs, with their indexes, are objects whose keys end with their checksum, so that
 * writing one again changes nothing; a local folder has copies of them. Nothing depends on a condition of a request:
 * versions are committed by MongoDB, after their pack is stored.
 *
 * Refs are not stored: each machine writes them into its own copies, from MongoDB.
 *
 * An erasure writes a tombstone, then removes the objects. A writer looks for the tombstone while it stores a pack; a
 * pack that is stored later than both is removed by `sweep`.
 */
import { RepoError } from "../../errors.ts";
import { openObjectStore } from "../../object-store/s3.ts";
import type { ObjectStore, ObjectStoreOptions } from "../../object-store/types.ts";
import type { PackStore, PackTarget, StoreDriver } from "../driver.ts";
import { packPathsOf } from "../posix/layout.ts";
import { openPosixDriver, type PosixOptions } from "../posix/posix.ts";
import { createRepository } from "../posix/write.ts";
import type { RepoId, StoredId, StoreOptions } from "../types.ts";
import { eraseObjects, sweepTrash } from "./erase.ts";
import * as keys from "./keys.ts";
import { PackCache } from "./pack-cache.ts";
import { footerOf, objectBytes } from "./pack-object.ts";
import { openServed } from "./served.ts";
import { dropErased, trimCopies } from "./trim-cache.ts";
import { openTrimming } from "./trimming.ts";

export interface RemoteOptions extends PosixOptions {
  store: ObjectStoreOptions;
  /** Limit of the copies in `root`. */
  maxBytes: number;
  log: NonNullable<StoreOptions["log"]>;
}

const maxNoteBytes = 1024 * 1024;
const abandonedUploadMs = 24 * 3_600_000;

export function openRemoteDriver(options: RemoteOptions): StoreDriver {
  const { root, maxBytes, log } = options;
  const objects = openObjectStore(options.store);
  const posix = openPosixDriver(options);
  const local = posix.packs;
  const trimOptions = { root, local, objects, maxBytes, log };
  const trimming = openTrimming({
    maxBytes,
    dropErased: (isFirst) => dropErased(trimOptions, isFirst),
    trim: (isFull) => trimCopies(trimOptions, isFull),
    onFailed: (error) => log({ level: "warn", msg: "trimming the cache failed", error: String(error) }),
  });
  const cache = new PackCache({
    root,
    local,
    objects,
    maxBytes,
    log,
    onWritten: (bytes) => trimming.count(bytes),
    onFull: () => trimming.start(true),
  });
  const packs = openPacks({ objects, local, cache });
  const paths = packPathsOf(root);
  const listPacks = async (repo: StoredId) => (await packs.list(repo)).packs;

  /** Creates the local folder of a repository that the object store has. */
  async function requireFolder(repo: StoredId): Promise<void> {
    if (await local.exists(repo)) return;
    if (!(await packs.exists(repo))) {
      if (await packs.wasErased(repo)) throw erased();
      // Every repository has a pack from its creation on.
      throw new RepoError(
        "object_missing",
        "the object store has no objects of a repository that was not erased",
      );
    }
    await createRepository(paths, repo);
  }

  const refs: StoreDriver["refs"] = {
    async advance(repo, read) {
      await requireFolder(repo);
      return posix.refs.advance(repo, read);
    },
    read: (repo) => posix.refs.read(repo),
    sweep: (repo) => posix.refs.sweep(repo),
  };
  const served = openServed({ root, local, cache, refs, listPacks });

  async function materialize(repo: RepoId): Promise<string> {
    await requireFolder(repo);
    return served.open(repo);
  }

  return {
    packs: {
      ...packs,
      async erase(repo) {
        if ("skillId" in repo) served.forget(repo);
        await packs.erase(repo);
      },
      async close() {
        await trimming.close();
        await cache.close();
        await local.close();
        objects.close();
      },
    },
    refs,
    materialize,
    async writeNatively(repo, write) {
      const directory = await materialize(repo);
      const before = new Set((await local.list(repo)).packs);
      await write(directory);
      const written = (await local.list(repo)).packs.filter((pack) => !before.has(pack));
      for (const pack of written) await storeCopy(objects, local, repo, pack);
      return written;
    },
    copies: { schedule: () => trimming.schedule(), trim: () => trimming.run() },
  };
}

interface Parts {
  objects: ObjectStore;
  local: PackStore;
  cache: PackCache;
}

function openPacks({ objects, local, cache }: Parts): Omit<PackStore, "close"> {
  const isErased = (repo: StoredId) => objects.exists(keys.tombstoneKey(repo));

  async function requireTarget(repo: StoredId, where: PackTarget): Promise<void> {
    if (
      where === "existing" &&
      !(await local.exists(repo)) &&
      !(await objects.hasAny(keys.packsPrefix(repo)))
    )
      throw erased();
  }

  /** The tombstone of an erasure may have been written before the pack was stored, and its objects removed. */
  async function withdraw(repo: StoredId, pack: string): Promise<never> {
    await objects.remove([keys.packKey(repo, pack)]);
    await cache.erase(repo);
    throw erased();
  }

  return {
    async list(repo) {
      const [packs, notes] = await Promise.all([
        namesOf(objects, keys.packsPrefix(repo)),
        namesOf(objects, keys.notesPrefix(repo)),
      ]);
      return { packs, notes };
    },
    readIndex: (repo, pack) => cache.readIndex(repo, pack),
    size: (repo, pack) => cache.size(repo, pack),
    read: (repo, pack, offset, length) => cache.read(repo, pack, offset, length),
    recheck: (repo, pack) => cache.recheck(repo, pack),
    async put(repo, pack, bytes, index, where) {
      await requireTarget(repo, where);
      const packBytes = bytes.reduce((sum, piece) => sum + piece.length, 0);
      const footer = footerOf({ packBytes, indexBytes: index.length });
      const [isGone] = await Promise.all([
        isErased(repo),
        objects.putOnce(keys.packKey(repo, pack), [...bytes, index, footer]),
      ]);
      if (isGone) await withdraw(repo, pack);
      await cache.keep(repo, pack, bytes, index);
    },
    async stage(repo, where) {
      await requireTarget(repo, where);
      if (await isErased(repo)) throw erased();
      const stage = await local.stage(repo, "create");
      return {
        ...stage,
        async publish(header, buildIndex) {
          const published = await stage.publish(header, buildIndex);
          try {
            await storeCopy(objects, local, repo, published.pack);
          } catch (error) {
            await local.remove(repo, { packs: [published.pack] });
            throw error;
          }
          if (await isErased(repo)) await withdraw(repo, published.pack);
          return published;
        },
      };
    },
    async supersede(repo, by, replaced) {
      await objects.put(keys.noteKey(repo, by), [Buffer.from(replaced.map((pack) => `${pack}\n`).join(""))]);
    },
    async superseded(repo, by) {
      const note = await objects.get(keys.noteKey(repo, by), maxNoteBytes);
      const replaced = note?.bytes.toString("latin1").split("\n").filter(keys.isPackName) ?? [];
      return { replaced, at: new Date(Date.now() - (note?.ageMs ?? 0)) };
    },
    async remove(repo, { packs = [], note }) {
      await objects.remove(packs.map((pack) => keys.packKey(repo, pack)));
      for (const pack of packs) cache.forget(repo, pack);
      await local.remove(repo, { packs });
      if (note !== undefined) await objects.remove([keys.noteKey(repo, note)]);
    },
    async exists(repo) {
      const [hasPacks, isGone] = await Promise.all([objects.hasAny(keys.packsPrefix(repo)), isErased(repo)]);
      return hasPacks && !isGone;
    },
    wasErased: isErased,
    async *repositories(after) {
      if (after) yield* repositoriesOf(objects, after.tenantId, after.skillId);
      for await (const tenantId of objects.folders("t/", after?.tenantId))
        yield* repositoriesOf(objects, tenantId);
    },
    async *toSweep(after) {
      let last: string | undefined;
      // The character behind all names of notes.
      const from = after && `${keys.notesPrefix(after)}g`;
      for await (const { key } of objects.list(keys.allNotes, from)) {
        const repo = keys.repoOfKey(key);
        if (repo !== undefined && repo.skillId !== last) yield repo;
        last = repo?.skillId;
      }
    },
    mirrors: () => local.mirrors(),
    async erase(repo) {
      await eraseObjects(objects, repo);
      await cache.erase(repo);
    },
    async sweep(repo, keepsTrash = false) {
      if (repo !== undefined) return { ...(await local.sweep(repo)), trash: 0 };
      const temporary = await objects.abortUploads(abandonedUploadMs);
      return { temporary, trash: keepsTrash ? 0 : await sweepTrash(objects) };
    },
    async readEpoch() {
      return (await objects.get(keys.epochKey, maxNoteBytes))?.bytes.toString("utf8");
    },
    writeEpoch: (text) => objects.put(keys.epochKey, [Buffer.from(text)]),
  };
}

async function* repositoriesOf(
  objects: ObjectStore,
  tenantId: string,
  after?: string,
): AsyncGenerator<RepoId> {
  if (!keys.isId(tenantId)) return;
  for await (const skillId of objects.folders(`t/${tenantId}/s/`, after))
    if (keys.isId(skillId)) yield { tenantId, skillId };
}

const erased = () => new RepoError("repository_missing", "the repository was erased");

async function namesOf(objects: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of objects.list(prefix)) {
    const name = key.slice(prefix.length);
    if (keys.isPackName(name)) names.push(name);
  }
  return names;
}

/** Stores the object of a pack from its copy in the local folder. */
async function storeCopy(
  objects: ObjectStore,
  local: PackStore,
  repo: StoredId,
  pack: string,
): Promise<void> {
  const [index, packBytes] = await Promise.all([local.readIndex(repo, pack), local.size(repo, pack)]);
  const sizes = { packBytes, indexBytes: index.length };
  const tail = Buffer.concat([index, footerOf(sizes)]);
  await objects.putLarge(keys.packKey(repo, pack), objectBytes(sizes), async (offset, length) => {
    const fromPack = Math.max(0, Math.min(length, packBytes - offset));
    const start = Math.max(0, offset - packBytes);
    const rest = tail.subarray(start, start + length - fromPack);
    return Buffer.concat([await local.read(repo, pack, offset, fromPack), rest]);
  });
}
