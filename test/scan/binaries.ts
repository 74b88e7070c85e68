/** Small files of other formats than text. */
import { gzipSync } from "node:zlib";
import { makeZip } from "../support/zip.ts";

const zeros = (length: number) => Buffer.alloc(length);
const hex = (text: string, rest = 64) => Buffer.concat([Buffer.from(text, "hex"), zeros(rest)]);

function windowsProgram(): Buffer {
  const bytes = zeros(256);
  bytes.write("MZ");
  bytes.writeUInt32LE(128, 60);
  bytes.write("PE\0\0", 128, "latin1");
  return bytes;
}

const png = () => hex("89504e470d0a1a0a0000000d49484452");

const kinds: Record<string, () => Buffer> = {
  elf: () => hex("7f454c4602010100"),
  pe: windowsProgram,
  macho: () => hex("cffaedfe07000001"),
  pyc: () => hex("cb0d0d0a00000000"),
  wasm: () => hex("0061736d01000000"),
  "7z": () => hex("377abcaf271c0004"),
  rar: () => hex("526172211a070100"),
  xz: () => hex("fd377a585a000004"),
  png,
  jpg: () => hex("ffd8ffe000104a464946"),
  ttf: () => hex("0001000000100080"),
  "encrypted-zip": () => makeZip([{ name: "run.sh", data: "echo kit", flags: 0x801 }]),
  "broken-zip": () => hex("504b0304140000000800"),
  /** More than a package may have, when unpacked. */
  bomb: () => gzipSync(zeros(120 * 1024 * 1024), { level: 1 }),
  "png-zip": () => Buffer.concat([png(), makeZip([{ name: "run.sh", data: "echo kit" }])]),
};

export function binaryOf(kind: string): Buffer {
  const make = kinds[kind];
  if (make === undefined) throw new Error(`Unknown kind ${kind}`);
  return make();
}

/** A tar with one file. */
export function tarOf(path: string, data: Buffer): Buffer {
  const head = zeros(512);
  head.write(path);
  head.write("0000755\0", 100);
  head.write(`${data.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write("0", 156);
  head.write("ustar\0", 257);
  return Buffer.concat([head, data, zeros((512 - (data.length % 512)) % 512), zeros(1024)]);
}
