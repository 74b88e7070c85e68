/**
 * Writes a package as a zip whose bytes depend on its files only, like those of the service. The browser's own SHA-256
 * exists only on https and localhost, and its own deflate gives other bytes in other browsers.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { Zip, ZipDeflate } from "fflate";
import { compareUtf8 } from "../../../../contract/checks/package-rules.ts";
import type { ZipFile } from "./format.ts";

/** The system whose modes the entries have. */
const unix = 3;
/** The first date of the format, in any time zone. */
const mtime = new Date(1980, 0, 1);

/** `onProgress` gets the bytes of the files that are in the zip. */
export async function writeZip(
  files: readonly ZipFile[],
  onProgress: (bytes: number) => void,
): Promise<{ zip: Blob; sha256: string }> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const digest = sha256.create();
  const zip = new Zip((error, part) => {
    if (error) throw error;
    digest.update(part);
    parts.push(part);
  });
  let done = 0;
  for (const file of files.toSorted((a, b) => compareUtf8(a.path, b.path))) {
    const data = await bytesOf(file);
    const entry = new ZipDeflate(file.path);
    zip.add(Object.assign(entry, { os: unix, attrs: Number.parseInt(file.mode, 8) * 0x10000, mtime }));
    entry.push(data, true);
    done += data.length;
    onProgress(done);
  }
  zip.end();
  return { zip: new Blob(parts, { type: "application/zip" }), sha256: bytesToHex(digest.digest()) };
}

async function bytesOf({ path, data }: ZipFile): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await data.arrayBuffer());
  } catch (error) {
    throw new Error(`${path} can't be read. It was moved or changed on your computer: add it again.`, {
      cause: error,
    });
  }
}
