// Creates the database of the embedded queue engine. This takes seconds (PostgreSQL's initdb as WebAssembly, then
// BullMQ's tables), and copying one takes a fraction of a second. Therefore, the first one of an installation is kept
// as a template next to the installed packages, if that folder is writable.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = "@electric-sql/pglite";
const FOLDER = "pg";
/** Raised with each change of queue-create-child.mjs. */
const TEMPLATE_VERSION = 2;
/** A creation that began this long ago was killed. */
const ABANDONED_MS = 10 * 60_000;

/**
 * The database's folder in `dataDir`, created if missing. It is created under another name and renamed, so that an
 * interrupted creation leaves no incomplete database. `fromTemplate`: it was just copied.
 *
 * @param {string} dataDir
 * @returns {Promise<{ dir: string, fromTemplate: boolean }>}
 */
export async function ensureDatabase(dataDir) {
  const dir = path.join(dataDir, FOLDER);
  if (fs.existsSync(dir)) return { dir, fromTemplate: false };
  removeLeftovers(dataDir);
  const fresh = path.join(dataDir, `${FOLDER}.new-${process.pid}`);
  const template = await ensureTemplate();
  if (template) fs.cpSync(template, fresh, { recursive: true, mode: fs.constants.COPYFILE_FICLONE });
  else await create(fresh);
  fs.renameSync(fresh, dir);
  return { dir, fromTemplate: template !== undefined };
}

/** Recreates the database if the template is broken, for example after a power cut. */
export async function replaceDatabase(dataDir) {
  fs.rmSync(templateFolder(), { recursive: true, force: true });
  fs.rmSync(path.join(dataDir, FOLDER), { recursive: true, force: true });
  return ensureDatabase(dataDir);
}

/**
 * The template's folder, created if missing; undefined if the installation is not writable.
 *
 * @returns {Promise<string | undefined>}
 */
export async function ensureTemplate() {
  const dir = templateFolder();
  if (fs.existsSync(dir)) return dir;
  const fresh = `${dir}.new-${process.pid}`;
  try {
    fs.mkdirSync(path.dirname(dir), { recursive: true });
    fs.accessSync(path.dirname(dir), fs.constants.W_OK);
    removeLeftovers(path.dirname(dir), Date.now() - ABANDONED_MS);
  } catch {
    return undefined;
  }
  try {
    await create(fresh);
    fs.renameSync(fresh, dir);
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    if (!fs.existsSync(dir)) throw error; // another process may have been faster
  }
  return dir;
}

/** In node_modules/.cache, one for each release of the packages that create it and each version of their use. */
function templateFolder() {
  const entry = createRequire(import.meta.url).resolve(PACKAGE);
  const packages = path.join(
    entry.slice(0, entry.lastIndexOf(path.join("node_modules", PACKAGE))),
    "node_modules",
  );
  const versions = [PACKAGE, "bullmq"].map((name) => {
    const manifest = fs.readFileSync(path.join(packages, name, "package.json"), "utf8");
    return JSON.parse(manifest).version;
  });
  return path.join(packages, ".cache", "embedded-queue", [FOLDER, ...versions, TEMPLATE_VERSION].join("-"));
}

/** Creating takes 500 MB of memory that a process keeps, so a child process does it and ends. */
async function create(dir) {
  const script = fileURLToPath(new URL("./queue-create-child.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, dir], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [status, signal] = await once(child, "close");
  if (status === 0) return;
  const reason = stderr.split("\n").find((line) => /error/i.test(line));
  throw new Error(reason?.trim() ?? `creating the database ended with ${signal ?? status}`);
}

/**
 * Removes interrupted creations. A data folder has one owner at a time; the template's is shared, hence the age limit.
 */
function removeLeftovers(folder, before = Infinity) {
  for (const name of fs.readdirSync(folder)) {
    const leftover = path.join(folder, name);
    const isLeftover = /^pg.*\.new-\d+$/.test(name) && fs.statSync(leftover).birthtimeMs < before;
    if (isLeftover) fs.rmSync(leftover, { recursive: true, force: true });
  }
}
