import { type FileHandle, open } from "node:fs/promises";
import { callbackify } from "node:util";
import * as yauzl from "yauzl";

/** A small zip is read in one go; of a large one the end, where its directory lies. */
const wholeFileBytes = 16 * 1024 * 1024;
const directoryBytes = 1024 * 1024;

/**
 * Positional reads of a zip, for yauzl's directory parser and for our own inflating. yauzl makes two reads an entry;
 * from memory they cost nothing.
 */
export class ZipBytes extends yauzl.RandomAccessReader {
  readonly size: number;
  readonly #file: FileHandle;
  readonly #tail: Buffer;

  private constructor(file: FileHandle, size: number, tail: Buffer) {
    super();
    this.#file = file;
    this.size = size;
    this.#tail = tail;
  }

  static async open(path: string): Promise<ZipBytes> {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const tail = Buffer.allocUnsafe(size <= wholeFileBytes ? size : directoryBytes);
      await readFully(file, tail, size - tail.length);
      return new ZipBytes(file, size, tail);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Bytes at a position; fewer than asked for only at the end of the file. Not to be written to. */
  async slice(position: number, length: number): Promise<Buffer> {
    const inTail = position - (this.size - this.#tail.length);
    if (inTail >= 0) return this.#tail.subarray(inTail, inTail + length);
    const buffer = Buffer.allocUnsafe(Math.min(length, this.size - position));
    await readFully(this.#file, buffer, position);
    return buffer;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    callbackify(async () => (await this.slice(position, length)).copy(buffer, offset))(callback);
  }

  override close(callback: (error: Error | null) => void): void {
    callbackify(() => this.#file.close())(callback);
  }
}

async function readFully(file: FileHandle, buffer: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < buffer.length;) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) throw new Error("the zip became shorter while it was read");
    filled += bytesRead;
  }
}
