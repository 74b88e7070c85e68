// Makes a copy of an ELF64 shared object that asks for no symbol of GLIBC_2.38.
//
// The embedded MongoDB engine is linked on a glibc >= 2.38, yet the only 2.38 symbols it uses are new names of
// functions that every older glibc has:
//   __isoc23_strtol/strtoul/strtoll/strtoull -> strtol/...         (base version of libc)
//   __isoc23_sscanf/fscanf                   -> __isoc99_sscanf/.. (GLIBC_2.7; base version on arm64)
//   fmod@GLIBC_2.38                          -> fmod               (base version of libm)
// The C23 names differ in one point: they also accept binary literals ("0b101") when the base is 0 or 2.
// So the symbols are renamed in place, and each "needs GLIBC_2.38" record becomes "needs <base>". Sizes and
// offsets do not change. Any other 2.38 symbol is an error, and nothing is returned.

const ELF_MAGIC = 0x7f454c46;
const SHT_DYNSYM = 11;
const SHT_VERNEED = 0x6ffffffe;
const SHT_VERSYM = 0x6fffffff;
const X86_64 = 62;
const TOO_NEW = "GLIBC_2.38";
const BASE_VERSION: Record<number, string> = { [X86_64]: "GLIBC_2.2.5", 183: "GLIBC_2.17" };

interface Section {
  type: number;
  offset: number;
  size: number;
  link: number;
  info: number;
}

/** One version of one library's symbols that the file uses. */
interface VersionRecord {
  at: number;
  file: string;
  name: string;
  nameOffset: number;
  index: number;
}

/** `needs` lists the symbol versions that remain; `symbols` what was renamed. */
export interface RelaxedElf {
  output: Buffer;
  symbols: string[];
  needs: string[];
}

/** The System V hash that version records carry next to their name. */
function elfHash(name: string): number {
  let hash = 0;
  for (const byte of Buffer.from(name, "latin1")) {
    hash = ((hash << 4) + byte) >>> 0;
    const high = hash & 0xf0000000;
    if (high) hash ^= high >>> 24;
    hash = (hash & ~high) >>> 0;
  }
  return hash;
}

function readSections(elf: Buffer): Section[] {
  const start = Number(elf.readBigUInt64LE(40));
  const entrySize = elf.readUInt16LE(58);
  return Array.from({ length: elf.readUInt16LE(60) }, (_, i) => {
    const at = start + i * entrySize;
    return {
      type: elf.readUInt32LE(at + 4),
      offset: Number(elf.readBigUInt64LE(at + 24)),
      size: Number(elf.readBigUInt64LE(at + 32)),
      link: elf.readUInt32LE(at + 40),
      info: elf.readUInt32LE(at + 44),
    };
  });
}

function readVersionRecords(
  elf: Buffer,
  verneed: Section,
  textAt: (offset: number) => string,
): VersionRecord[] {
  const records: VersionRecord[] = [];
  let at = verneed.offset;
  for (let n = 0; n < verneed.info; n++) {
    const file = textAt(elf.readUInt32LE(at + 4));
    let entry = at + elf.readUInt32LE(at + 8);
    for (let i = 0; i < elf.readUInt16LE(at + 2); i++) {
      const nameOffset = elf.readUInt32LE(entry + 8);
      records.push({
        at: entry,
        file,
        name: textAt(nameOffset),
        nameOffset,
        index: elf.readUInt16LE(entry + 6),
      });
      entry += elf.readUInt32LE(entry + 12);
    }
    at += elf.readUInt32LE(at + 12);
  }
  return records;
}

/**
 * The same shared object for glibc 2.36 and later. Throws on anything that is not a little-endian ELF64 object for
 * x86-64 or aarch64, on a truncated one, and on a 2.38 symbol without a known older equivalent.
 */
export function relaxGlibc(input: Uint8Array): RelaxedElf {
  const elf = Buffer.from(input);
  if (elf.length < 64 || elf.readUInt32BE(0) !== ELF_MAGIC || elf[4] !== 2 || elf[5] !== 1) {
    throw new Error("not a little-endian ELF64 file");
  }
  const machine = elf.readUInt16LE(18);
  const base = BASE_VERSION[machine];
  if (!base) throw new Error(`ELF machine ${machine} is not supported`);

  const sections = readSections(elf);
  const sectionOf = (type: number) => {
    const found = sections.find((s) => s.type === type);
    if (!found) throw new Error(`ELF section of type 0x${type.toString(16)} is missing`);
    return found;
  };
  const dynsym = sectionOf(SHT_DYNSYM);
  const versym = sectionOf(SHT_VERSYM);
  const dynstr = sections[dynsym.link];
  if (!dynstr) throw new Error("the ELF symbol table names no string table");
  const textAt = (offset: number) =>
    elf.toString("latin1", dynstr.offset + offset, elf.indexOf(0, dynstr.offset + offset));

  const records = readVersionRecords(elf, sectionOf(SHT_VERNEED), textAt);
  const symbols: string[] = [];
  for (const record of records.filter((r) => r.name === TOO_NEW)) {
    const versionOf = (name: string) => records.find((r) => r.file === record.file && r.name === name);
    const baseRecord = versionOf(base);
    if (!baseRecord) throw new Error(`${record.file}: no ${base} record to fall back on`);
    const scanfRecord = machine === X86_64 ? versionOf("GLIBC_2.7") : baseRecord;
    for (let i = 0; i < dynsym.size / 24; i++) {
      const versionAt = versym.offset + 2 * i;
      if ((elf.readUInt16LE(versionAt) & 0x7fff) !== record.index) continue;
      const symbolAt = dynsym.offset + 24 * i;
      const nameOffset = elf.readUInt32LE(symbolAt);
      const name = textAt(nameOffset);
      if (/^__isoc23_strto(l|ul|ll|ull)$/.test(name)) {
        elf.writeUInt32LE(nameOffset + "__isoc23_".length, symbolAt);
      } else if (/^__isoc23_[sf]scanf$/.test(name) && scanfRecord) {
        elf.write("99", dynstr.offset + nameOffset + "__isoc".length, "latin1");
        elf.writeUInt16LE(scanfRecord.index, versionAt);
      } else if (name !== "fmod") {
        throw new Error(`${name}@${TOO_NEW} has no known older equivalent`);
      }
      symbols.push(name);
    }
    elf.writeUInt32LE(elfHash(base), record.at);
    elf.writeUInt32LE(baseRecord.nameOffset, record.at + 8);
  }
  const needs = new Set(records.filter((r) => r.name !== TOO_NEW).map((r) => r.name));
  return { output: elf, symbols, needs: [...needs] };
}
