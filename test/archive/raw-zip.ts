/** Writes zips byte by byte, so that every field can be falsified. */
import { crc32, deflateRawSync } from "node:zlib";

export interface RawEntry {
  name: string | Buffer;
  data?: Buffer;
  /** Unix mode with its type bits; 0o100644 by default. */
  unixMode?: number;
  /** 8 (deflate) by default. */
  method?: number;
  /** Bit 11 (UTF-8 names) by default. */
  flags?: number;
  declaredSize?: number;
  declaredStoredSize?: number;
  declaredCrc?: number;
  /** Bytes to write in place of the deflated data. */
  stored?: Buffer;
  /** Refers to the local header of the previous entry instead of one of its own. */
  sharesPrevious?: boolean;
  extra?: Buffer;
}

export function rawZip(
  entries: readonly RawEntry[],
  options: { declaredCount?: number; comment?: Buffer } = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  let previous = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name as string);
    const data = entry.data ?? Buffer.from("content");
    const method = entry.method ?? 8;
    const stored = entry.stored ?? (method === 8 ? deflateRawSync(data) : data);
    const flags = entry.flags ?? 0x800;
    const crc = entry.declaredCrc ?? crc32(data);
    const extra = entry.extra ?? Buffer.alloc(0);
    const storedSize = entry.declaredStoredSize ?? stored.length;
    const size = entry.declaredSize ?? data.length;

    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(flags, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt16LE(0, 6);
    shared.writeUInt16LE(0x21, 8);
    shared.writeUInt32LE(crc, 10);
    shared.writeUInt32LE(storedSize, 14);
    shared.writeUInt32LE(size, 18);
    shared.writeUInt16LE(name.length, 22);

    if (entry.sharesPrevious !== true) {
      previous = offset;
      const local = Buffer.concat([Buffer.from("PK\x03\x04"), shared, name, stored]);
      locals.push(local);
      offset += local.length;
    }

    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((entry.unixMode ?? 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(previous, 10);
    const central = Buffer.from(shared);
    central.writeUInt16LE(extra.length, 24);
    directory.push(
      Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 3]), central, tail, name, extra]),
    );
  }

  const comment = options.comment ?? Buffer.alloc(0);
  const end = Buffer.alloc(18);
  const directoryBytes = Buffer.concat(directory);
  end.writeUInt16LE(options.declaredCount ?? entries.length, 4);
  end.writeUInt16LE(options.declaredCount ?? entries.length, 6);
  end.writeUInt32LE(directoryBytes.length, 8);
  end.writeUInt32LE(offset, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...locals, directoryBytes, Buffer.from("PK\x05\x06"), end, comment]);
}
