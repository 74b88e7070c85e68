/** Unpacking a downloaded package. The service is not trusted: every path, size and byte is checked. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import yauzl from "yauzl";
import type { ManifestFile, ManifestPayload } from "../../contract/payloads/skills.ts";
import { CliError, isSystemError } from "../errors.ts";
import { damaged } from "./manifest.ts";

/** Unpacks the zip into an empty folder. It must contain exactly the manifest's files, byte for byte. */
export async function unpackPackage(
  zipPath: string,
  manifest: ManifestPayload,
  folder: string,
): Promise<void> {
  const expected = new Map(manifest.files.map((file) => [file.path, file]));
  let zip: yauzl.ZipFile;
  try {
    zip = await yauzl.openPromise(zipPath, { lazyEntries: true, strictFileNames: true });
  } catch (error) {
    throw isSystemError(error) && error.syscall !== undefined
      ? error
      : damaged("it is not a readable zip", error);
  }
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      const file = expected.get(entry.fileName);
      if (file === undefined)
        throw damaged(`it contains ${JSON.stringify(entry.fileName)}, which is not listed or occurs twice`);
      expected.delete(entry.fileName);
      const kind = (entry.externalFileAttributes >>> 16) & 0o170000;
      if (kind !== 0 && kind !== 0o100000) throw damaged(`${JSON.stringify(file.path)} is not a plain file`);
      if (entry.uncompressedSize !== file.size)
        throw damaged(`${JSON.stringify(file.path)} has a wrong size`);
      await writeEntry(zip, entry, file, join(folder, ...file.path.split("/")));
    }
  } catch (error) {
    if (error instanceof CliError || (isSystemError(error) && error.syscall !== undefined)) throw error;
    throw damaged(error instanceof Error ? error.message : String(error), error);
  } finally {
    zip.close();
  }
  const [missing] = expected.keys();
  if (missing !== undefined) throw damaged(`${JSON.stringify(missing)} is missing`);
}

async function writeEntry(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  file: ManifestFile,
  path: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash("sha256");
  let size = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(size > file.size ? damaged(`${JSON.stringify(file.path)} is larger than listed`) : null, chunk);
    },
  });
  await pipeline(
    await zip.openReadStreamPromise(entry),
    check,
    createWriteStream(path, { flags: "wx", mode: file.mode === "100755" ? 0o755 : 0o644 }),
  );
  if (size !== file.size || hash.digest("hex") !== file.sha256)
    throw damaged(`${JSON.stringify(file.path)} does not have the listed digest`);
}
