/**
 * Buffers between processes that write fast and clients that read slowly: the first bytes in memory, the rest on disk,
 * within limits for each client and for all. A buffer that is full slows its process down to the pace of its client.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";

export interface SpoolOptions {
  /** Folder of the files. They have no name there, so that none is left after a crash. */
  folder: string;
  /** Bytes on disk of all buffers, and of those of one owner. */
  maxBytes: number;
  maxBytesEach: number;
}

export interface Spool {
  /** Reads a source as fast as the limits of its owners allow. `ahead` comes first. */
  buffer(source: Readable, owners: readonly string[], ahead?: string): SpooledStream;
}

/** Bytes of one buffer in memory. */
const maxMemoryBytes = 256 * 1024;
const readBytes = 64 * 1024;

export function openSpool({ folder, maxBytes, maxBytesEach }: SpoolOptions): Spool {
  const used = new Map<string, number>();
  let usedByAll = 0;
  const onFreed = new Set<() => void>();
  const usedBy = (owner: string) => used.get(owner) ?? 0;

  const diskSpaceOf = (owners: readonly string[]): DiskSpace => ({
    folder,
    onFreed,
    reserve(bytes) {
      if (usedByAll + bytes > maxBytes) return false;
      if (owners.some((owner) => usedBy(owner) + bytes > maxBytesEach)) return false;
      usedByAll += bytes;
      for (const owner of owners) used.set(owner, usedBy(owner) + bytes);
      return true;
    },
    free(bytes) {
      usedByAll -= bytes;
      for (const owner of owners)
        if (usedBy(owner) > bytes) used.set(owner, usedBy(owner) - bytes);
        else used.delete(owner);
      for (const report of onFreed) report();
    },
  });
  return {
    buffer: (source, owners, ahead = "") => new SpooledStream(source, diskSpaceOf(owners), ahead),
  };
}

interface DiskSpace {
  folder: string;
  /** Returns false if the limits leave too little. */
  reserve(bytes: number): boolean;
  free(bytes: number): void;
  /** Functions that are called when any buffer has freed bytes. */
  onFreed: Set<() => void>;
}

/** The bytes of a source. Destroying the stream destroys the source. */
export class SpooledStream extends Readable {
  /** Bytes that the source has written. */
  written: number;
  readonly #source: Readable;
  readonly #space: DiskSpace;
  readonly #disk: DiskQueue;
  /** Bytes that come before those on disk. */
  readonly #memory: Buffer[] = [];
  #memoryBytes = 0;
  #given = 0;
  #isWanted = false;
  #isOver = false;
  /** Number of the events that a writer without space waits for. */
  #changes = 0;
  #proceed = () => {};
  readonly #filled: Promise<void>;

  constructor(source: Readable, space: DiskSpace, ahead: string) {
    super({ highWaterMark: readBytes });
    this.#source = source;
    this.#space = space;
    this.#disk = new DiskQueue(space);
    space.onFreed.add(this.#report);
    this.written = ahead.length;
    if (ahead !== "") this.#keepInMemory(Buffer.from(ahead));
    this.#filled = this.#fill();
  }

  /** Bytes that the client has taken. */
  get taken(): number {
    return this.#given - this.readableLength;
  }

  override _read(): void {
    this.#isWanted = true;
    this.#serve();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#source.destroy();
    this.#space.onFreed.delete(this.#report);
    this.#report();
    void this.#erase();
    done(error);
  }

  async #erase(): Promise<void> {
    await this.#filled;
    await this.#disk.close();
  }

  async #fill(): Promise<void> {
    try {
      for await (const piece of this.#source as AsyncIterable<Buffer>) await this.#keep(piece);
      this.#isOver = true;
      this.#serve();
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** Resolves once the piece is kept, or the stream destroyed. */
  async #keep(piece: Buffer): Promise<void> {
    this.written += piece.length;
    while (!this.destroyed) {
      const changes = this.#changes;
      const fitsMemory = this.#memoryBytes === 0 || this.#memoryBytes + piece.length <= maxMemoryBytes;
      if (fitsMemory && this.#disk.isEmpty) return this.#keepInMemory(piece);
      if (await this.#disk.append(piece)) return this.#serve();
      if (changes === this.#changes) await new Promise<void>((resolve) => (this.#proceed = resolve));
    }
  }

  #keepInMemory(piece: Buffer): void {
    this.#memory.push(piece);
    this.#memoryBytes += piece.length;
    this.#serve();
  }

  /** Gives the next piece, if one is wanted and there is one. */
  #serve(): void {
    if (!this.#isWanted || this.destroyed) return;
    const piece = this.#memory.shift();
    if (piece !== undefined) {
      this.#isWanted = false;
      this.#memoryBytes -= piece.length;
      this.#give(piece);
    } else if (!this.#disk.isEmpty) {
      this.#isWanted = false;
      this.#disk.take().then(
        (taken) => this.#give(taken),
        (error: Error) => this.destroy(error),
      );
    } else if (this.#isOver) {
      this.push(null);
    }
  }

  #give(piece: Buffer): void {
    if (this.destroyed) return;
    this.#given += piece.length;
    this.push(piece);
    this.#report();
  }

  #report = () => {
    this.#changes++;
    this.#proceed();
  };
}

/** Bytes in a file, for one writer and one reader. They are erased once all of them have been read. */
class DiskQueue {
  readonly #space: DiskSpace;
  #file: FileHandle | undefined;
  #reserved = 0;
  /** Positions up to which the file is read and written. */
  #start = 0;
  #end = 0;

  constructor(space: DiskSpace) {
    this.#space = space;
  }

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** Returns false if the limits leave no space for the bytes. */
  async append(piece: Buffer): Promise<boolean> {
    if (this.isEmpty && this.#end > 0) {
      this.#start = this.#end = 0;
      await this.#file?.truncate(0);
      this.#free();
    }
    if (!this.#space.reserve(piece.length)) return false;
    this.#reserved += piece.length;
    this.#file ??= await openNameless(this.#space.folder);
    for (let done = 0; done < piece.length;)
      done += (await this.#file.write(piece, done, piece.length - done, this.#end + done)).bytesWritten;
    this.#end += piece.length;
    return true;
  }

  async take(): Promise<Buffer> {
    const piece = Buffer.allocUnsafe(Math.min(readBytes, this.#end - this.#start));
    const { bytesRead } = await this.#file!.read(piece, 0, piece.length, this.#start);
    if (bytesRead === 0) throw new Error("the file of the spool was cut");
    this.#start += bytesRead;
    return piece.subarray(0, bytesRead);
  }

  /** Erases the file. Nothing may be appended any more. */
  async close(): Promise<void> {
    await this.#file?.close().catch(() => undefined);
    this.#free();
  }

  #free(): void {
    this.#space.free(this.#reserved);
    this.#reserved = 0;
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.spool`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}
