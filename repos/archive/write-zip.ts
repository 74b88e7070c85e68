/**
 * Writes a version as a zip whose bytes depend on its files alone: no clock, no time zone, no file system. The same
 * Node and zlib give the same bytes of a deflated zip; what identifies a package is its content digest. A stored zip
 * has the same bytes on every machine and in every release.
 */
import { Readable } from "node:stream";
import * as yazl from "yazl";
import { compareUtf8, type FileMode } from "../../contract/checks/package-rules.ts";

/** Up to this much content is deflated in parallel from memory; more is streamed, one file at a time. */
export const bufferedZipBytes = 16 * 1024 * 1024;
const deflateLevel = 6;

/** Whether the files are compressed (`deflated`), or contained as they are. */
export type ZipForm = "deflated" | "stored";

export interface ZipMember {
  path: string;
  mode: FileMode;
  size: number;
  /** Asked for once, when its turn comes. */
  open(): Promise<Buffer | Readable>;
}

/** Members must come in UTF-8 byte order of their paths, as Git lists them. Errors destroy the stream. */
export function writeZip(members: readonly ZipMember[], form: ZipForm = "deflated"): Readable {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: unknown) =>
    output.destroy(error instanceof Error ? error : new Error("zip writing failed"));
  zip.on("error", fail);

  const total = members.reduce((sum, member) => sum + member.size, 0);
  const add = async () => {
    for (const [i, member] of members.entries()) {
      if (i > 0 && compareUtf8(members[i - 1]!.path, member.path) >= 0)
        throw new Error("the members of a zip must be sorted and distinct");
      const options = {
        // yazl takes the local fields of a date, so this is 1980-01-01 00:00 in every time zone.
        mtime: new Date(1980, 0, 1),
        forceDosTimestamp: true,
        mode: Number.parseInt(member.mode, 8),
        compressionLevel: form === "stored" ? 0 : deflateLevel,
      };
      if (total <= bufferedZipBytes) {
        const content = await member.open();
        zip.addBuffer(Buffer.isBuffer(content) ? content : await collect(content), member.path, options);
        continue;
      }
      zip.addReadStreamLazy(member.path, { ...options, size: member.size }, (take) => {
        const give = async () => {
          const content = await member.open();
          const stream = Buffer.isBuffer(content) ? Readable.from([content], { objectMode: false }) : content;
          stream.on("error", fail);
          take(null, stream);
        };
        give().catch(fail);
      });
    }
    zip.end();
  };
  add().catch(fail);
  return output;
}

async function collect(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
