/** Unpacking a downloaded package. The service is not trusted: every path, size and byte is checked. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import yauzl from "yauzl";
import type { ManifestFile, ManifestPayload } from "../../contract/payloads/skills/skills.ts";
import { CliError, isSystemError } from "../errors.ts";
import { damaged } from "./records/manifest.ts";

/** Unpacks the zip into an empty folder. It must contain exactly the manifest's files, byte for byte. */
export async function unpackPackage(
  zipPath: string,
  manifest: ManifestPayload,
  folder: string,
): Promise<void> {
  const expected = new Map(manifest.files.map((file) => [file.path, file]));
  const folders = new Set([folder]);
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
      const path = join(folder, ...file.path.split("/"));
      if (!folders.has(dirname(path))) await mkdir(dirname(path), { recursive: true });
      folders.add(dirname(path));
      await writeEntry(zip, entry, file, path);
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

/** Largest file that is checked in memory before it is written: most files of a package are small. */
const wholeBytes = 1024 * 1024;

async function readWhole(stored: Readable, file: ManifestFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stored as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > file.size) throw damaged(`${JSON.stringify(file.path)} is larger than listed`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function writeEntry(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  file: ManifestFile,
  path: string,
): Promise<void> {
  const mode = file.mode === "100755" ? 0o755 : 0o644;
  const stored = await zip.openReadStreamPromise(entry);
  if (file.size <= wholeBytes) {
    const bytes = await readWhole(stored, file);
    if (bytes.length !== file.size || createHash("sha256").update(bytes).digest("hex") !== file.sha256)
      throw damaged(`${JSON.stringify(file.path)} does not have the listed digest`);
    await writeFile(path, bytes, { flag: "wx", mode });
    return;
  }
  const hash = createHash("sha256");
  let size = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(size > file.size ? damaged(`${JSON.stringify(file.path)} is larger than listed`) : null, chunk);
    },
  });
  await pipeline(stored, check, createWriteStream(path, { flags: "wx", mode }));
  if (size !== file.size || hash.digest("hex") !== file.sha256)
    throw damaged(`${JSON.stringify(file.path)} does not have the listed digest`);
}
