/**
 * The object of a pack: the pack, its index, and a footer with their sizes, so that one request stores both. The index
 * is at the end, since a reader of a large pack begins with it.
 */
import { createHash } from "node:crypto";
import { RepoError } from "../../errors.ts";
import { packTrailerBytes } from "../pack/format.ts";

const magic = Buffer.from("SVCPACK1", "latin1");
export const footerBytes = magic.length + 16;

export interface PackSizes {
  packBytes: number;
  indexBytes: number;
}

export function footerOf({ packBytes, indexBytes }: PackSizes): Buffer {
  const footer = Buffer.alloc(footerBytes);
  magic.copy(footer);
  footer.writeBigUInt64BE(BigInt(packBytes), magic.length);
  footer.writeBigUInt64BE(BigInt(indexBytes), magic.length + 8);
  return footer;
}

export const objectBytes = ({ packBytes, indexBytes }: PackSizes) => packBytes + indexBytes + footerBytes;

/** Sizes in the footer at the end of `tail`. Throws `object_corrupt` if they are not those of an object of `size`. */
export function readFooter(tail: Buffer, size: number): PackSizes {
  const footer = tail.subarray(Math.max(0, tail.length - footerBytes));
  if (footer.length === footerBytes && footer.subarray(0, magic.length).equals(magic)) {
    const packBytes = Number(footer.readBigUInt64BE(magic.length));
    const indexBytes = Number(footer.readBigUInt64BE(magic.length + 8));
    if (objectBytes({ packBytes, indexBytes }) === size) return { packBytes, indexBytes };
  }
  throw new RepoError("object_corrupt", "the object of a pack is incomplete or malformed");
}

/** Throws `object_corrupt` if the bytes are not those of the pack of that name. */
export function assertPack(bytes: Buffer, pack: string): void {
  const checksum = createHash("sha1").update(bytes.subarray(0, -packTrailerBytes)).digest();
  if (checksum.toString("hex") !== pack || !checksum.equals(bytes.subarray(-packTrailerBytes)))
    throw new RepoError("object_corrupt", `the checksum of pack ${pack} does not match its name`);
}
