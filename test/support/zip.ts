/** Zips written byte by byte (APPNOTE.TXT 4.3), so that tests can falsify every field. */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string | Buffer;
  data?: string | Buffer;
  /** Stored instead of deflated. */
  stored?: boolean;
  /** The Unix mode with its kind; by default a plain file. */
  mode?: number;
  flags?: number;
  method?: number;
  crc?: number;
  /** The uncompressed size to declare in place of the real one. */
  toldSize?: number;
  /** Deflated bytes created beforehand, with `toldSize` and `crc` alongside. */
  deflated?: Buffer;
  /** Another name in the local header. */
  localName?: string;
}

export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = entryOf(entry, offset);
    locals.push(local);
    directory.push(central);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listed, end]);
}

function entryOf(entry: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const data = Buffer.from(entry.data ?? "");
  const name = Buffer.from(entry.name);
  const localName = Buffer.from(entry.localName ?? entry.name);
  const bytes = entry.deflated ?? (entry.stored ? data : deflateRawSync(data));
  // From the version to the sizes: the fields that both headers have in common.
  const facts = Buffer.alloc(22);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(entry.flags ?? 0x800, 2);
  facts.writeUInt16LE(entry.method ?? (entry.stored ? 0 : 8), 4);
  facts.writeUInt32LE(0x5a21_0000, 6);
  facts.writeUInt32LE(entry.crc ?? crc32(data), 10);
  facts.writeUInt32LE(bytes.length, 14);
  facts.writeUInt32LE(entry.toldSize ?? data.length, 18);

  const localHead = Buffer.alloc(30);
  localHead.writeUInt32LE(0x04034b50, 0);
  facts.copy(localHead, 4);
  localHead.writeUInt16LE(localName.length, 26);

  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(0x031e, 4);
  facts.copy(central, 6);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  central.writeUInt32LE(offset, 42);
  return { local: Buffer.concat([localHead, localName, bytes]), central: Buffer.concat([central, name]) };
}

export const skillMd = (name: string, description = "Does things.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;

/** A valid package. */
export function makePackage(name: string, files: Record<string, string | Buffer> = {}): Buffer {
  return makeZip([
    { name: "SKILL.md", data: skillMd(name) },
    ...Object.entries(files).map(([path, data]) => ({ name: path, data })),
  ]);
}
