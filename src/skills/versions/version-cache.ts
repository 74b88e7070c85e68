/**
 * Texts and packages of versions that were read recently. Versions never change, and a caller reaches one only through
 * its skill, so they are kept by the ids of versions; their digests were verified when they were read.
 */
import type { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import { ownBytes } from "../../../repos/own-bytes.ts";

const textCacheBytes = 16 * 1024 * 1024;
const packageCacheBytes = 32 * 1024 * 1024;
const largestPackageBytes = 8 * 1024 * 1024;
/**
 * Bytes of packages in memory, including those that were displaced while clients still receive them. Above it, packages
 * are streamed, so that clients that read slowly occupy little memory.
 */
const maxHeldBytes = 2 * packageCacheBytes;
/** Larger packages are kept from their second use on, so that a single download of each displaces nothing. */
const onceReadBytes = 64 * 1024;

export interface Package {
  /** Bytes of the whole zip. */
  size: number;
  /** In memory, or a stream to be read or destroyed. */
  body: Buffer | Readable;
}

/** Strings take up to two bytes per character. */
const texts = new LRUCache<string, string>({
  maxSize: textCacheBytes,
  sizeCalculation: (text) => 2 * text.length + 1,
});
const packages = new LRUCache<string, Buffer>({
  maxSize: packageCacheBytes,
  sizeCalculation: (zip) => zip.length + 1,
});
const readOnce = new LRUCache<string, true>({ max: 1000 });
const flights = new SingleFlight<Buffer>(Infinity);
let heldBytes = 0;
const collected = new FinalizationRegistry<number>((size) => {
  heldBytes -= size;
});

/** Keeps a text that `read` derives from a version alone. */
export async function cachedText(versionId: string, read: () => Promise<string>): Promise<string> {
  const cached = texts.get(versionId);
  if (cached !== undefined) return cached;
  const text = await read();
  texts.set(versionId, text);
  return text;
}

export async function cachedPackage(
  versionId: string,
  open: () => Promise<{ size: number; stream: Readable }>,
): Promise<Package> {
  const cached = packages.get(versionId);
  if (cached) return { size: cached.length, body: cached };
  const { size, stream } = await open();
  const isKept = size <= onceReadBytes || (size <= largestPackageBytes && readOnce.has(versionId));
  readOnce.set(versionId, true);
  if (!isKept || heldBytes + size > maxHeldBytes) return { size, body: stream };
  try {
    const body = await flights.run(versionId, () => readHeld(versionId, size, stream));
    return { size: body.length, body };
  } finally {
    // If another request reads it, this one has opened it in vain.
    stream.destroy();
  }
}

/** Reads a package into the cache, and counts its bytes until its memory is freed. */
async function readHeld(versionId: string, size: number, stream: Readable): Promise<Buffer> {
  heldBytes += size;
  let body: Buffer;
  try {
    body = await readAll(stream);
  } catch (error) {
    heldBytes -= size;
    throw error;
  }
  collected.register(body, size);
  packages.set(versionId, body);
  return body;
}

async function readAll(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return ownBytes(Buffer.concat(pieces));
}
