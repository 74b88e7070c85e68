/**
 * Makes an avatar of an uploaded picture: decoded, cut to a square, and encoded again, so that no other data of the
 * file is stored or served. Only a few known formats reach a decoder.
 */
import type { Sharp, SharpConstructor } from "sharp";
import { ServiceError } from "../../errors.ts";

const sidePixels = 256;
/** More than any camera produces; larger pictures are refused before they are decoded. */
const maxPixels = 64_000_000;
const decodeSeconds = 10;
/** Decoding shares the threads of file access with everything else. */
const atOnce = 2;
const mayWait = 20;

const signatures: readonly (readonly [format: string, at: number, bytes: string])[] = [
  ["jpeg", 0, "\xff\xd8\xff"],
  ["png", 0, "\x89PNG\r\n\x1a\n"],
  ["gif", 0, "GIF87a"],
  ["gif", 0, "GIF89a"],
  ["webp", 8, "WEBP"],
];
const loaders = ["Jpeg", "Png", "Webp", "Nsgif"].map((name) => `VipsForeignLoad${name}Buffer`);

/** A 256-pixel square as WebP. Throws `content_invalid`, or `unavailable` when too many are being made. */
export async function makeAvatar(file: Buffer): Promise<Buffer> {
  if (!signatures.some(([, at, bytes]) => file.toString("latin1", at, at + bytes.length) === bytes))
    throw invalidPicture();
  return inTurn(async () => {
    try {
      return await (await open(file)).toBuffer();
    } catch (error) {
      throw invalidPicture(error);
    }
  });
}

/** Loaded with the first picture: few processes ever make one. */
let prepared: SharpConstructor | undefined;

async function open(file: Buffer): Promise<Sharp> {
  if (!prepared) {
    const { default: sharp } = await import("sharp");
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: loaders });
    prepared = sharp;
  }
  return prepared(file, { failOn: "error", limitInputPixels: maxPixels, pages: 1, sequentialRead: true })
    .timeout({ seconds: decodeSeconds })
    .autoOrient()
    .resize(sidePixels, sidePixels, { fit: "cover", position: "attention" })
    .webp({ quality: 85 });
}

function invalidPicture(cause?: unknown): ServiceError {
  return new ServiceError(
    "content_invalid",
    "The file is not a whole picture that can be read: send a JPEG, PNG, WebP or GIF.",
    { kind: "content" },
    { cause },
  );
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mayWait)
      throw new ServiceError(
        "unavailable",
        "Too many pictures are being made right now: try again in a moment.",
      );
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running++;
  }
  try {
    return await work();
  } finally {
    // The next waiting call takes over the slot.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
