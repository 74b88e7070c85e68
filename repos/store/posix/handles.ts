import { LRUCache } from "lru-cache";
import { RepoError } from "../../errors.ts";
import { descriptors, errorCode } from "./files.ts";

interface Handle {
  opened: Promise<{ fd: number; size: number }>;
  users: number;
  retired: boolean;
}

/**
 * Pack files open for reading, the least recently used closed first. Readers of one pack share one open, and a
 * descriptor is closed only when its last read is over: a number reused by another file must not be read.
 */
export class ReadHandles {
  readonly #handles: LRUCache<string, Handle>;
  readonly #closing = new Set<Promise<void>>();

  constructor(max: number, idleMs: number) {
    this.#handles = new LRUCache({
      max,
      // Idle handles keep removed files on disk, so a sweep closes them.
      ttl: idleMs,
      updateAgeOnGet: true,
      dispose: (handle) => {
        handle.retired = true;
        if (handle.users === 0) this.#close(handle);
      },
    });
  }

  async size(path: string): Promise<number> {
    return this.#use(path, ({ size }) => Promise.resolve(size));
  }

  /** Exactly `length` bytes at `offset`. */
  async read(path: string, offset: number, length: number): Promise<Buffer> {
    return this.#use(path, async ({ fd, size }) => {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await descriptors.read(
          fd,
          buffer,
          filled,
          buffer.length - filled,
          offset + filled,
        );
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled < length)
        throw new RepoError("object_corrupt", "a pack ends before the bytes its index promises");
      return buffer;
    });
  }

  /** Opens the file again for later reads. */
  forget(path: string): void {
    this.#handles.delete(path);
  }

  /** Forgets every handle below a folder. */
  release(folder: string): void {
    for (const path of this.#handles.keys()) if (path.startsWith(`${folder}/`)) this.#handles.delete(path);
  }

  /** Closes what has been idle for long. */
  expire(): void {
    this.#handles.purgeStale();
  }

  async close(): Promise<void> {
    this.#handles.clear();
    await Promise.all(this.#closing);
  }

  async #use<T>(path: string, action: (file: { fd: number; size: number }) => Promise<T>): Promise<T> {
    let handle = this.#handles.get(path);
    if (handle === undefined) {
      handle = { opened: openForReading(path), users: 0, retired: false };
      this.#handles.set(path, handle);
    }
    handle.users++;
    try {
      const file = await handle.opened.catch((error: unknown) => {
        if (this.#handles.peek(path) === handle) this.#handles.delete(path);
        if (errorCode(error) === "ENOENT")
          throw new RepoError("pack_vanished", "a pack is gone", { cause: error });
        throw error;
      });
      return await action(file);
    } finally {
      handle.users--;
      if (handle.retired && handle.users === 0) this.#close(handle);
    }
  }

  #close(handle: Handle): void {
    const closing = handle.opened.then(
      ({ fd }) => descriptors.close(fd),
      () => undefined,
    );
    const tracked = closing.catch(() => undefined).finally(() => this.#closing.delete(tracked));
    this.#closing.add(tracked);
  }
}

async function openForReading(path: string): Promise<{ fd: number; size: number }> {
  const fd = await descriptors.open(path, "r");
  try {
    return { fd, size: (await descriptors.fstat(fd)).size };
  } catch (error) {
    await descriptors.close(fd);
    throw error;
  }
}
