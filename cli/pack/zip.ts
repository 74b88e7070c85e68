/** Creation of zips: the same files result in the same bytes, on any machine, in any time zone. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import yazl from "yazl";
import { PackageError, packageLimits } from "../../contract/package-rules.ts";
import { type PackageFile, packFailed } from "./folder.ts";

export interface PackedZip {
  path: string;
  size: number;
  /** Hexadecimal SHA-256 of the zip. */
  sha256: string;
}

/** Streams the files, which are in the order of their paths, into a new zip at `path`. */
export async function writeZip(files: readonly PackageFile[], path: string): Promise<PackedZip> {
  const zip = new yazl.ZipFile();
  // Zip times have no zone: the earliest one, in local parts, is written the same everywhere.
  const mtime = new Date(1980, 0, 1);
  const hash = createHash("sha256");
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(
        size > packageLimits.compressedBytes
          ? new PackageError(
              "too_large_compressed",
              `The zip is larger than ${packageLimits.compressedBytes} bytes: leave out what the skill does not need.`,
            )
          : null,
        chunk,
      );
    },
  });
  for (const file of files)
    zip.addFile(file.source, file.path, {
      mtime,
      forceDosTimestamp: true,
      mode: file.executable ? 0o100755 : 0o100644,
    });
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
