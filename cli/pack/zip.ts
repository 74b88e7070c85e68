/** Creation of zips: the same files result in the same bytes, on any machine, in any time zone. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import yazl from "yazl";
import { PackageError, packageLimits } from "../../contract/checks/package-rules.ts";
import { sizeText } from "../../contract/text/size-text.ts";
import type { Progress } from "../terminal/output.ts";
import { type PackageFile, packFailed } from "./folder.ts";

export interface PackedZip {
  path: string;
  size: number;
  /** Hexadecimal SHA-256 of the zip. */
  sha256: string;
}

/** Streams the files, which are in the order of their paths, into a new zip at `path`. */
export async function writeZip(
  files: readonly PackageFile[],
  path: string,
  progress?: Pick<Progress, "update">,
): Promise<PackedZip> {
  const zip = new yazl.ZipFile();
  // Zip times have no zone: the earliest one, in local parts, is written the same everywhere.
  const mtime = new Date(1980, 0, 1);
  const hash = createHash("sha256");
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      // The rest of a zip that is too large is counted only, for the message.
      if (size > packageLimits.compressedBytes) done();
      else done(null, chunk);
    },
    flush(done) {
      done(size > packageLimits.compressedBytes ? tooLargeZip(size) : null);
    },
  });
  const total = files.reduce((sum, file) => sum + file.size, 0);
  let read = 0;
  for (const file of files) {
    const options = {
      mtime,
      forceDosTimestamp: true,
      // Without a mode, the service keeps that of the version before.
      mode: file.mode === undefined ? 0 : Number.parseInt(file.mode, 8),
      size: file.size,
    };
    zip.addReadStreamLazy(file.path, options, (give) => {
      const stream = createReadStream(file.source);
      stream.on("error", (error) => zip.emit("error", error));
      stream.on("data", (chunk) => progress?.update((read += chunk.length), total));
      give(null, stream);
    });
  }
  // A file that disappears or grows during the packing is reported by the zip, not by its stream.
  const failed = new Promise<never>((_, reject) => zip.on("error", reject));
  zip.end();
  try {
    await Promise.race([
      pipeline(zip.outputStream, count, createWriteStream(path, { flags: "wx", mode: 0o600 })),
      failed,
    ]);
  } catch (error) {
    throw packFailed(error);
  }
  return { path, size, sha256: hash.digest("hex") };
}

function tooLargeZip(bytes: number): PackageError {
  return new PackageError(
    "too_large_compressed",
    `The zip has ${sizeText(bytes)}, over the ${sizeText(packageLimits.compressedBytes)} of a package: ` +
      "leave out what the skill does not need.",
  );
}
