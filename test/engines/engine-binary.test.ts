import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { EngineError } from "../../engines/engine-error.ts";
import { engineBinaryEnv, type Machine, thisMachine } from "../../engines/mongo/engine-binary.ts";

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "svc-binary-"));
after(() => fs.rmSync(temp, { recursive: true, force: true }));

const subject = { name: "embedded MongoDB engine", advice: "Set MONGODB_URL.", dataDir: "/data" };
const debian12: Machine = {
  platform: "linux",
  arch: "x64",
  glibc: [2, 36],
  cpuInfo: "flags\t\t: sse4_2 avx avx2\n",
};

describe("platform decision", () => {
  const refused: [string, Partial<Machine>, RegExp][] = [
    ["Windows", { platform: "win32" }, /there is no build for win32 x64/],
    ["an Intel Mac", { platform: "darwin" }, /there is no build for darwin x64/],
    ["32-bit ARM", { arch: "arm" }, /there is no build for linux arm/],
    ["musl", { glibc: undefined }, /it needs glibc, and this system uses another C library \(musl\)/],
    ["glibc 2.35", { glibc: [2, 35] }, /it needs glibc 2\.36 or newer, and this system has 2\.35/],
    ["a processor without AVX", { cpuInfo: "flags\t: sse4_2\n" }, /the processor has no AVX/],
  ];
  for (const [name, difference, reason] of refused) {
    it(`refuses ${name} and says what to do`, () => {
      assert.throws(
        () => engineBinaryEnv(subject, temp, { ...debian12, ...difference }),
        (error) =>
          error instanceof EngineError &&
          error.code === "UNSUPPORTED" &&
          reason.test(error.message) &&
          error.message.includes("Set MONGODB_URL."),
      );
    });
  }

  for (const [name, difference] of [
    ["glibc 2.38", { glibc: [2, 38] }],
    ["glibc 3.0", { glibc: [3, 0] }],
    ["an ARM Mac", { platform: "darwin", arch: "arm64", glibc: undefined }],
  ] as [string, Partial<Machine>][]) {
    it(`runs the binary as installed on ${name}`, () => {
      assert.deepEqual(engineBinaryEnv(subject, temp, { ...debian12, ...difference }), {});
    });
  }

  const isHere = process.platform === "linux" && thisMachine().glibc !== undefined;
  const skip = isHere ? false : "needs the Linux build of the engine";
  it("makes one relaxed copy on glibc 2.36 and 2.37 and uses it again", { skip }, () => {
    const cacheDir = path.join(temp, "cache");
    const machine = { ...thisMachine(), glibc: [2, 37] };

    const first = engineBinaryEnv(subject, cacheDir, machine)["NAPI_RS_NATIVE_LIBRARY_PATH"] ?? "";
    const madeAt = fs.statSync(first).mtimeMs;
    const second = engineBinaryEnv(subject, cacheDir, machine)["NAPI_RS_NATIVE_LIBRARY_PATH"];

    assert.equal(second, first);
    assert.equal(fs.statSync(first).mtimeMs, madeAt);
    assert.deepEqual(fs.readdirSync(cacheDir), [path.basename(path.dirname(first))]);
  });

  it("replaces a copy that was truncated by a power cut", { skip }, () => {
    const cacheDir = path.join(temp, "cut");
    const machine = { ...thisMachine(), glibc: [2, 36] };
    const file = engineBinaryEnv(subject, cacheDir, machine)["NAPI_RS_NATIVE_LIBRARY_PATH"] ?? "";
    const { size } = fs.statSync(file);
    fs.truncateSync(file, 0);

    engineBinaryEnv(subject, cacheDir, machine);

    assert.equal(fs.statSync(file).size, size);
  });
});
