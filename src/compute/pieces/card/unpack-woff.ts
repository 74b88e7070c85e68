import { inflateSync } from "node:zlib";

const header = { woff: 44, sfnt: 12 };
const entry = { woff: 20, sfnt: 16 };

/**
 * The font of a WOFF file (version 1) with all its tables unpacked. The library would unpack a table for each glyph.
 */
export function unpackWoff(file: Buffer): Buffer {
  const count = file.readUInt16BE(12);
  const directory = Buffer.alloc(header.sfnt + count * entry.sfnt);
  // The fields of a binary search in the directory stay 0: the library does not read them.
  file.copy(directory, 0, 4, 8);
  directory.writeUInt16BE(count, 4);
  const tables: Buffer[] = [];
  let at = directory.length;
  for (let index = 0; index < count; index++) {
    const from = header.woff + index * entry.woff;
    const [offset, packed, length] = [4, 8, 12].map((field) => file.readUInt32BE(from + field)) as [
      number,
      number,
      number,
    ];
    const bytes = file.subarray(offset, offset + packed);
    const table = Buffer.alloc(Math.ceil(length / 4) * 4);
    (packed < length ? inflateSync(bytes, { maxOutputLength: length }) : bytes).copy(table);
    const to = header.sfnt + index * entry.sfnt;
    file.copy(directory, to, from, from + 4);
    file.copy(directory, to + 4, from + 16, from + 20);
    directory.writeUInt32BE(at, to + 8);
    directory.writeUInt32BE(length, to + 12);
    tables.push(table);
    at += table.length;
  }
  return Buffer.concat([directory, ...tables]);
}
