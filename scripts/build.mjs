// Builds what is stale: the service (tsc to dist/, its programs bundled), the CLI (one bundle with lazy chunks in
// dist/cli/), its package (dist/package/) and the dashboard (dist/web/). For npm test, also the tests (dist/tests/).
//   node scripts/build.mjs [server|cli|package|web|tests]
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { writeClientPackage } from "./client-package.mjs";
import { endStale, installIfStale, isProduction } from "./install.mjs";
import { requireNode } from "./node-version.mjs";
import { noticesOf } from "./notices.mjs";
import { builds, compiledTests, isFresh, isOfSources, root, stateOf } from "./sources.mjs";

const LOCK_WAIT_MS = 120_000;
const inRoot = (...names) => path.join(root, ...names);

/** Ends the process where a build fails. The package is made from the client, which precedes it in `names`. */
export async function buildIfStale(names = ["server", "cli", "package", "web"]) {
  const needed = names.filter((name) => fs.existsSync(inRoot(builds[name].sources[0])));
  if (needed.every((name) => isFresh(builds[name]))) return;
  installIfStale();
  if (isProduction()) {
    const stale = needed.find((name) => !isOfSources(builds[name]));
    if (stale !== undefined) endStale(`${builds[stale].output} is missing, or was built from other sources`);
    return;
  }
  const unlock = await lock();
  try {
    removeLeftovers();
    const template = needed.includes("server") ? makeQueueTemplate() : undefined;
    for (const name of needed) {
      const build = builds[name];
      if (isFresh(build)) continue; // another process has built it
      const state = stateOf(build);
      if (name === "server") await buildServer();
      else if (name === "cli") await buildCli();
      else if (name === "package") buildPackage();
      else if (name === "web") await buildWeb();
      else buildTests();
      fs.writeFileSync(inRoot(build.stamp), state);
    }
    await template;
  } catch (error) {
    console.error(process.stderr.isTTY ? error.message : stripVTControlCharacters(error.message));
    process.exitCode = 1;
  } finally {
    unlock();
  }
  if (process.exitCode) process.exit();
}

/** Removes output of killed builds: no other build runs while the lock is held. */
function removeLeftovers() {
  for (const name of fs.readdirSync(inRoot("dist"))) {
    if (/^\.(server|cli|package|web|tests)-\d+$|\.old-\d+$/.test(name)) {
      fs.rmSync(inRoot("dist", name), { recursive: true, force: true });
    }
  }
}

/** One build at a time; a lock whose process is gone counts for nothing. */
async function lock() {
  fs.mkdirSync(inRoot("dist"), { recursive: true });
  const file = inRoot("dist", ".building");
  const deadline = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: "wx" });
      return () => fs.rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (!isAlive(file) || Date.now() > deadline) fs.rmSync(file, { force: true });
    else await new Promise((done) => setTimeout(done, 50));
  }
}

function isAlive(file) {
  try {
    const pid = Number(fs.readFileSync(file, "utf8"));
    // Just created and not yet written.
    if (pid === 0) return Date.now() - fs.statSync(file).mtimeMs < 1000;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Takes seconds, concurrently with the compiler; otherwise the first start of the service would wait for it. */
async function makeQueueTemplate() {
  const { ensureTemplate } = await import("../engines/queue/queue-database.mjs");
  await ensureTemplate().catch(() => undefined);
}

async function buildServer() {
  const fresh = inRoot("dist", `.server-${process.pid}`);
  const tsc = inRoot("node_modules", "typescript", "bin", "tsc");
  try {
    const args = [tsc, "-p", "tsconfig.build.json", "--outDir", fresh];
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, "inherit"] });
    if (status !== 0) throw new Error("The service does not compile.");
    await bundlePrograms(fresh);
    // House by house, so that no output of a removed source stays behind.
    for (const name of fs.readdirSync(fresh)) swap(path.join(fresh, name), inRoot("dist", name));
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

/** Programs that are started as a process or a thread: bundled, since reading 1,500 files dominated their start. */
const programs = ["server", "workers/job-child", "repos/store/worker/thread", "src/compute/thread"];
/** Machine code, WebAssembly, and what is read as files. */
const unbundled =
  /^(@node-rs\/argon2|sharp|@electric-sql\/pglite|@0q\/embedded-mongodb|swagger-ui-dist)(\/|$)/;

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

async function buildCli() {
  const { rolldown } = await import("rolldown");
  const fresh = inRoot("dist", `.cli-${process.pid}`);
  const bundle = await rolldown({
    input: inRoot("cli", "main.ts"),
    platform: "node",
    // Without it jsonc-parser's UMD build is taken, which breaks at run time.
    resolve: { mainFields: ["module", "main"] },
    cwd: root,
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
    swap(fresh, inRoot("dist", "cli"));
  } finally {
    await bundle.close();
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

/** The dashboard, with each text file compressed once, since compressing it for every response takes longer. */
async function buildDashboard(outDir) {
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

function buildPackage() {
  const fresh = inRoot("dist", `.package-${process.pid}`);
  try {
    fs.mkdirSync(fresh);
    writeClientPackage(fresh);
    swap(fresh, inRoot("dist", "package"));
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

async function buildWeb() {
  const fresh = inRoot("dist", `.web-${process.pid}`);
  try {
    await buildDashboard(path.join(fresh, "app"));
    swap(fresh, inRoot("dist", "web"));
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

/** Plain JavaScript with source maps. Types are not checked: `npm run typecheck` does that. */
function buildTests() {
  const fresh = inRoot("dist", `.tests-${process.pid}`);
  const tsc = inRoot("node_modules", "typescript", "bin", "tsc");
  const options = ["--noEmit", "false", "--noCheck", "--allowImportingTsExtensions", "false", "--sourceMap"];
  try {
    const args = [tsc, "-p", "tsconfig.json", ...options, "--outDir", fresh];
    // A file with a syntax error is compiled all the same, and fails as it is loaded.
    spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, "inherit"] });
    // Compiled modules look for the front end and the package here. Scripts find the checkout by their own location, so
    // they stay there.
    for (const name of ["web", "package"]) fs.symlinkSync(`../${name}`, path.join(fresh, name));
    fs.rmSync(path.join(fresh, "scripts"), { recursive: true, force: true });
    fs.symlinkSync("../../scripts", path.join(fresh, "scripts"));
    swap(fresh, inRoot(compiledTests));
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

/** Puts a file or folder in place of an older one. */
function swap(from, to) {
  const old = `${to}.old-${process.pid}`;
  if (fs.existsSync(to)) fs.renameSync(to, old);
  fs.renameSync(from, to);
  fs.rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] === import.meta.filename) {
  requireNode();
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !Object.hasOwn(builds, name));
  if (unknown !== undefined) {
    console.error(`There is no build "${unknown}". There are: ${Object.keys(builds).join(", ")}.`);
    process.exit(1);
  }
  installIfStale();
  const all = names.includes("package") ? ["cli", ...names] : names;
  await buildIfStale(all.length > 0 ? all : undefined);
}
