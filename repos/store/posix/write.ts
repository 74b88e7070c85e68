/**
 * Writes packs to the file system: under temporary names, flushed, then renamed; the index last, since a pack without
 * its index does not exist for any reader.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { LRUCache } from "lru-cache";
import { RepoError } from "../../errors.ts";
import type { PackStage, PackTarget } from "../driver.ts";
import type { StoredId } from "../types.ts";
import * as files from "./files.ts";
import { type PackPaths, guarded } from "./layout.ts";

/** Paths of a pack and its index before they are visible. */
interface TemporaryPack {
  pack: string;
  index: string;
}

function temporaryPackIn(folder: string): TemporaryPack {
  return { pack: join(folder, files.temporaryName("pack")), index: join(folder, files.temporaryName("idx")) };
}

/**
 * Folders that contain repositories, and whose own names this process has made durable. Such a folder is never removed.
 */
const durableParents = new LRUCache<string, true>({ max: 100_000 });

/**
 * Creates a repository if it is missing. HEAD and refs come first: once `objects/pack` is there, the folder is a
 * repository. Returns a function that makes all of it durable.
 */
export async function createRepository(paths: PackPaths, repo: StoredId): Promise<() => Promise<void>> {
  const folder = paths.repository(repo);
  const objects = dirname(paths.folder(repo));
  await makeFolder(folder);
  const head = join(folder, files.temporaryName("ref"));
  await Promise.all([
    makeFolder(join(folder, "refs")),
    makeFolder(objects),
    files
      .writeDurably(head, [Buffer.from("ref: refs/heads/main\n")], 0o644)
      .then(() => files.rename(head, join(folder, "HEAD"))),
  ]);
  await makeFolder(paths.folder(repo));
  return async () => {
    // A name is durable once the folder that contains it is flushed. Folders that exist already are flushed too, since
    // a writer may have been killed before this line.
    const parent = dirname(folder);
    const named = [objects, folder, parent];
    if (!durableParents.has(parent))
      for (let at = dirname(parent); at.length >= paths.root.length; at = dirname(at)) named.push(at);
    await Promise.all(named.map(files.syncFolder));
    durableParents.set(parent, true);
  };
}

/** Makes a folder in one step if the one that contains it exists. */
const makeFolder = (path: string) => files.mkdir(path, { recursive: true });

const isDurable = async () => undefined;

/** Makes a written pack visible, and then its name durable, together with those of a new repository. */
async function reveal(
  paths: PackPaths,
  repo: StoredId,
  pack: string,
  temporary: TemporaryPack,
  flushes: readonly (() => Promise<void>)[],
): Promise<void> {
  try {
    await files.rename(temporary.pack, paths.pack(repo, pack));
    await files.rename(temporary.index, paths.index(repo, pack));
    await Promise.all(flushes.map((flush) => flush()));
  } catch (error) {
    throw asErasure(error);
  }
}

/** Writes a pack from memory. */
export async function putPack(
  paths: PackPaths,
  repo: StoredId,
  pack: string,
  bytes: readonly Buffer[],
  index: Buffer,
  where: PackTarget,
): Promise<void> {
  const temporary = temporaryPackIn(paths.folder(repo));
  const flushRepository = where === "create" ? await createRepository(paths, repo) : isDurable;
  const [folder, ...written] = await Promise.allSettled([
    files.openFolder(paths.folder(repo)),
    files.writeDurably(temporary.pack, bytes, 0o444),
    files.writeDurably(temporary.index, [index], 0o444),
  ]);
  try {
    const failed = [folder, ...written].find((result) => result.status === "rejected");
    if (failed !== undefined || folder.status === "rejected") {
      await files.discard([temporary.pack, temporary.index]);
      throw asErasure(failed?.reason);
    }
    await reveal(paths, repo, pack, temporary, [folder.value.sync, flushRepository]);
  } finally {
    if (folder.status === "fulfilled") folder.value.close();
  }
}

/** Writes a pack in pieces. */
export async function stagePack(paths: PackPaths, repo: StoredId, where: PackTarget): Promise<PackStage> {
  const temporary = temporaryPackIn(paths.folder(repo));
  const flushRepository = where === "create" ? await createRepository(paths, repo) : isDurable;
  let fd: number | undefined = await files.descriptors
    .open(temporary.pack, "wx+", 0o444)
    .catch((error: unknown) => {
      throw asErasure(error);
    });
  const close = async () => {
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
          files.writeDurably(temporary.index, [index], 0o444),
        ]);
        await close();
        const pack = checksum.toString("hex");
        const flushFolder = () => files.syncFolder(paths.folder(repo));
        await reveal(paths, repo, pack, temporary, [flushFolder, flushRepository]);
        return { pack, index };
      }),
    discard: async () => {
      await close();
      await files.discard([temporary.pack, temporary.index]);
    },
  };
}

/** A folder that is missing belongs to a repository that was erased. */
function asErasure(error: unknown): unknown {
  if (files.errorCode(error) !== "ENOENT") return error;
  return new RepoError("repository_missing", "the repository was erased", { cause: error });
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
