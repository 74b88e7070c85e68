// Child process: opens PGlite on a data folder and serves it on a unix socket, one session per connection.
//   node queue-child.mjs <dataDir> <socketPath>
// It has a process of its own, since PGlite computes on the JavaScript thread: in the API process, each queue operation
// would delay HTTP requests.
import fs from "node:fs";
import net from "node:net";
import { endWithParent, giveUp, tellParent } from "../child-lifecycle.mjs";
import { onMessages, sendMessage } from "../frames.mjs";
import { startWatchdog } from "../watchdog.mjs";
import { ensureDatabase, replaceDatabase } from "./queue-database.mjs";

const STALE_CLAIM_MS = 5000;
const CLAIM_ATTEMPTS = 100;
const ERROR_FIELDS =
  "message code severity detail hint position schema table column constraint routine where".split(" ");

const [dataDir, socketPath] = process.argv.slice(2);

// Imported late: loading PGlite takes time, and a folder that is in use should be reported immediately.
const openDatabase = async (dir) => (await import("./pglite-host.mjs")).PgliteHost.open(dir);

let host;
let server;
let isEnding = false;
const sockets = new Set();
let markOpen;
const isOpen = new Promise((resolve) => (markOpen = resolve));

endWithParent(async () => {
  isEnding = true;
  for (const socket of sockets) socket.destroy();
  try {
    await host?.close();
  } finally {
    // The lock is released once no more files are written, and only by the process that holds it.
    if (server) fs.rmSync(socketPath, { force: true });
  }
});

try {
  const startedAt = performance.now();
  if (!(await claim())) await giveUp("BUSY", "in use");
  host = await openQueueDatabase();
  // Started only now, since opening after a crash has no time limit.
  startWatchdog();
  markOpen();
  await tellParent({ type: "ready", openMs: Math.round(performance.now() - startedAt) });
} catch (error) {
  // A socket that is left behind does not respond, so the next start removes it.
  const text = String(error?.message ?? error).split("\n")[0];
  await giveUp(codeOf(error, text), text);
}

function codeOf(error, text) {
  if (error?.code === "ERR_MODULE_NOT_FOUND") return "NO_BINARY";
  if (/ENOSPC|No space left/i.test(text)) return "DISK_FULL";
  return /EACCES|EPERM|EROFS|Permission denied/i.test(text) ? "NOT_WRITABLE" : "DAMAGED";
}

/**
 * Takes the socket's path, which is also the lock on the data folder: PGlite has no lock, and two processes at once
 * destroy the database. A socket that responds belongs to a live owner; any other is left over from a crash. Checking
 * and replacing it is one step, guarded by a folder (mkdir is atomic).
 */
async function claim() {
  const guard = `${socketPath}.claim`;
  if (!(await enterGuard(guard))) return false;
  try {
    if (await answers(socketPath)) return false;
    fs.rmSync(socketPath, { force: true });
    const claimed = net.createServer(serve);
    await new Promise((ready, failed) => claimed.once("error", failed).listen(socketPath, 511, ready));
    fs.chmodSync(socketPath, 0o600);
    server = claimed;
    return true;
  } finally {
    fs.rmSync(guard, { recursive: true, force: true });
  }
}

async function enterGuard(guard) {
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    try {
      fs.mkdirSync(guard);
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const madeAt = fs.statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      // The process that created it has ended.
      if (Date.now() - madeAt > STALE_CLAIM_MS) fs.rmSync(guard, { recursive: true, force: true });
      else await new Promise((done) => setTimeout(done, 50));
    }
  }
  return false;
}

function answers(address) {
  return new Promise((done) => {
    const socket = net.connect(address);
    socket.once("connect", () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", () => done(false));
  });
}

async function openQueueDatabase() {
  const { dir, fromTemplate } = await ensureDatabase(dataDir);
  try {
    return await openDatabase(dir);
  } catch (error) {
    // It has no data yet, so it can be created again without loss.
    if (!fromTemplate) throw error;
    return openDatabase((await replaceDatabase(dataDir)).dir);
  }
}

function serve(socket) {
  if (isEnding) {
    socket.destroy();
    return;
  }
  sockets.add(socket);
  const session = isOpen.then(() => {
    const opened = host.session();
    opened.on("notification", (notification) => sendMessage(socket, { notification }));
    return opened;
  });
  const answer = async ({ id, text, params }) => {
    const reply = await (await session).query(text, params).catch((error) => ({ error: fieldsOf(error) }));
    if (!socket.destroyed) sendMessage(socket, { id, ...reply });
  };
  // Statements of one connection run in their order, as with a PostgreSQL server.
  let chain = Promise.resolve();
  onMessages(socket, (message) => {
    chain = chain.then(() => answer(message));
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    sockets.delete(socket);
    void chain.then(async () => (await session).end()); // rolls back an open transaction
  });
}

function fieldsOf(error) {
  return Object.fromEntries(ERROR_FIELDS.filter((f) => error[f] !== undefined).map((f) => [f, error[f]]));
}
