// Builds what is stale: the service (tsc to dist/, its programs bundled), the CLI (one bundle with lazy chunks in
// dist/cli/), its package (dist/package/) and the dashboard (dist/web/). For npm test, also the tests (dist/tests/).
//   node scripts/build.mjs [server|cli|package|web|tests]
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { noticesOf, writeClientPackage } from "./client-package.mjs";
import { endStale, installIfStale, isProduction } from "./install.mjs";
import { builds, isFresh, root, stampOf, stateOf } from "./sources.mjs";

/** A build that has not shown for so long that it runs was killed. */
const LOCK_STALE_MS = 60_000;
const LOCK_RETRIES = { retries: 6000, factor: 1, minTimeout: 100, maxTimeout: 100 };
const inRoot = (...names) => path.join(root, ...names);

/** Each writes into an empty folder, which then takes the place of the previous output. */
const makers = {
  server: buildServer,
  cli: buildCli,
  package: writeClientPackage,
  web: buildWeb,
  tests: buildTests,
};

/**
 * Installs the packages and builds what is stale. Ends the process where that fails.
 *
 * @param {(keyof typeof builds)[]} names the package is made from the client, which precedes it
 */
export async function buildIfStale(names = ["server", "cli", "package", "web"]) {
  installIfStale();
  const needed = names.filter((name) => fs.existsSync(inRoot(builds[name].sources[0])));
  if (needed.every((name) => isFresh(name))) return;
  if (isProduction()) {
    const stale = needed.find((name) => !isFresh(name, true));
    if (stale !== undefined) endStale(`${builds[stale].output} is missing, or was built from other sources`);
    return;
  }
  console.error(`Building ${needed.filter((name) => !isFresh(name)).join(", ")} ...`);
  const unlock = await lock();
  try {
    const template = needed.includes("server") ? makeQueueTemplate() : undefined;
    // Those that are fresh now, another process has built.
    for (const name of needed) if (!isFresh(name)) await renew(name);
    await template;
  } catch (error) {
    console.error(process.stderr.isTTY ? error.message : stripVTControlCharacters(error.message));
    process.exitCode = 1;
  } finally {
    await unlock();
  }
  if (process.exitCode) process.exit();
}

/** One build at a time. */
async function lock() {
  fs.mkdirSync(inRoot("dist"), { recursive: true });
  const { default: lockfile } = await import("proper-lockfile");
  const lockfilePath = inRoot("dist", ".build-lock");
  return lockfile.lock(inRoot("dist"), { lockfilePath, stale: LOCK_STALE_MS, retries: LOCK_RETRIES });
}

async function renew(name) {
  const state = stateOf(builds[name].sources);
  const fresh = inRoot("dist", `.${name}-new`);
  remove(fresh);
  fs.mkdirSync(fresh);
  try {
    await makers[name](fresh);
    // The service's folders are those of dist/ itself: one by one, so that no output of a removed source stays behind.
    if (name !== "server") swap(fresh, inRoot("dist", name));
    else for (const part of fs.readdirSync(fresh)) swap(path.join(fresh, part), inRoot("dist", part));
  } finally {
    remove(fresh);
  }
  fs.writeFileSync(stampOf(name), state);
}

const remove = (file) => fs.rmSync(file, { recursive: true, force: true });

/** Puts a file or folder in place of an older one. */
function swap(from, to) {
  const old = `${to}.old`;
  remove(old);
  if (fs.existsSync(to)) fs.renameSync(to, old);
  fs.renameSync(from, to);
  remove(old);
}

/** Whether the compiler found no error. */
async function compile(...options) {
  const args = [inRoot("node_modules", "typescript", "bin", "tsc"), ...options];
  const compiler = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", 2, "inherit"] });
  const [code] = await once(compiler, "close");
  return code === 0;
}

/** Takes seconds, concurrently with the compiler; otherwise the first start of the service would wait for it. */
async function makeQueueTemplate() {
  const { ensureTemplate } = await import("../engines/queue/queue-database.mjs");
  await ensureTemplate().catch(() => undefined);
}

async function buildServer(fresh) {
  if (!(await compile("-p", "tsconfig.build.json", "--outDir", fresh)))
    throw new Error("The service does not compile.");
  fs.writeFileSync(path.join(fresh, "build.json"), JSON.stringify({ commit: commitOf() }));
  await bundlePrograms(fresh);
}

/** The commit of the checkout; undefined for a copy without its repository. */
function commitOf() {
  if (!fs.existsSync(inRoot(".git"))) return undefined;
  const { stdout, status } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** Programs that are started as a process or a thread: bundled, since reading 1,500 files dominated their start. */
const programs = ["server", "workers/job-child", "repos/store/worker/thread", "src/compute/thread"];
/** Machine code, WebAssembly, and what is read as files. */
const unbundled =
  /^(@node-rs\/argon2|sharp|@resvg\/resvg-wasm|@electric-sql\/pglite|@0q\/embedded-mongodb|swagger-ui-dist)(\/|$)/;

/** Puts each program's bundle in place of what the compiler made of it, with what they share in shared/. */
async function bundlePrograms(dir) {
  const { rolldown } = await import("rolldown");
  const present = programs.filter((name) => fs.existsSync(path.join(dir, `${name}.js`)));
  const bundle = await rolldown({
    input: Object.fromEntries(present.map((name) => [name, path.join(dir, `${name}.js`)])),
    platform: "node",
    external: unbundled,
    cwd: root,
    logLevel: "silent",
    plugins: [keepingPlaces(dir)],
  });
  try {
    await bundle.write({
      dir,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "shared/[name].js",
    });
    for (const name of present) fs.rmSync(path.join(dir, `${name}.js.map`), { force: true });
  } finally {
    await bundle.close();
  }
}

/** Modules look for files beside them: `import.meta.url` goes on naming the place that they were compiled to. */
function keepingPlaces(dir) {
  const wanted = "import.meta.url";
  return {
    name: "places",
    transform(code, id) {
      if (!id.startsWith(dir) || !code.includes(wanted)) return undefined;
      return code.replaceAll(wanted, `__placeOf(${JSON.stringify(path.relative(dir, id))})`);
    },
    renderChunk(code, { fileName }) {
      const up = "../".repeat(fileName.split("/").length - 1) || "./";
      return code.replace(
        /__placeOf\("([^"]+)"\)/g,
        (_, place) => `new URL("${up}${place}", ${wanted}).href`,
      );
    },
  };
}

/** Modules of nearly every command, in one file, which is read faster than fifteen. The others are loaded on use. */
const hotPath =
  /\/cli\/(?:run|argv|flag-reader|command|command-shape|context|errors|output|registry|interrupt|api\/(?:client|call|pages|failure|http|transport)|state\/(?:session|read-config|config|profiles|paths))\.ts$|\/contract\/(?:errors|limits)\.ts$|\/citty\//;

async function buildCli(fresh) {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: inRoot("cli", "main.ts"),
    platform: "node",
    // Without it jsonc-parser's UMD build is taken, which breaks at run time.
    resolve: { mainFields: ["module", "main"] },
    cwd: root,
    plugins: [withCommit()],
  });
  try {
    const { output } = await bundle.write({
      dir: fresh,
      // Loaded faster than an ES module, which has to wake Node's other loader first.
      format: "cjs",
      dynamicImportInCjs: false,
      minify: true,
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
      codeSplitting: {
        groups: [
          { name: "version", test: /\/cli\/version\.ts$|\/package\.json$|rolldown\/runtime/, priority: 2 },
          { name: "core", test: hotPath, priority: 1 },
        ],
      },
    });
    const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
    fs.writeFileSync(path.join(fresh, "THIRD-PARTY-NOTICES"), noticesOf(modules));
  } finally {
    await bundle.close();
  }
}

/** The client names the commit that it was built from, as the service does. */
function withCommit() {
  const declared = "commit: string | undefined = undefined";
  return {
    name: "commit",
    transform(code, id) {
      if (!id.endsWith("/cli/version.ts")) return undefined;
      if (!code.includes(declared)) throw new Error("cli/version.ts does not declare its commit.");
      return code.replace(declared, `commit: string | undefined = ${JSON.stringify(commitOf())}`);
    },
  };
}

/** The dashboard, with each text file compressed once, since compressing it for every response takes longer. */
async function buildWeb(fresh) {
  const outDir = path.join(fresh, "app");
  const { build } = await import("vite");
  await build({ configFile: inRoot("web", "vite.config.ts"), logLevel: "error", build: { outDir } });
  for (const name of fs.readdirSync(outDir, { recursive: true })) {
    const file = path.join(outDir, name);
    if (!/\.(js|css|svg)$/.test(name) || fs.statSync(file).size < 1024) continue;
    const body = fs.readFileSync(file);
    fs.writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
    fs.writeFileSync(`${file}.br`, brotliCompressSync(body, { params }));
  }
}

/** Plain JavaScript with source maps. Types are not checked: `npm run typecheck` does that. */
async function buildTests(fresh) {
  const options = ["--noEmit", "false", "--noCheck", "--allowImportingTsExtensions", "false", "--sourceMap"];
  // A file with a syntax error is compiled all the same, and fails as it is loaded.
  await compile("-p", "tsconfig.json", ...options, "--outDir", fresh);
  // Compiled modules look for the front end and the package here. Scripts find the checkout by their own location, so
  // they stay there.
  for (const name of ["web", "package"]) fs.symlinkSync(`../${name}`, path.join(fresh, name));
  remove(path.join(fresh, "scripts"));
  fs.symlinkSync("../../scripts", path.join(fresh, "scripts"));
}

if (process.argv[1] === import.meta.filename) {
  const names = process.argv.slice(2);
  const all = names.includes("package") ? ["cli", ...names] : names;
  await buildIfStale(all.length > 0 ? all : undefined);
}
