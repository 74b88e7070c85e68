// Length-prefixed messages in V8's structured format (keeps Date, BigInt and Buffer) over a stream socket.
import v8 from "node:v8";

/**
 * @param {import("node:net").Socket} socket
 * @param {object} message
 */
export function sendMessage(socket, message) {
  const body = v8.serialize(message);
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32LE(body.length);
  socket.cork();
  socket.write(head);
  socket.write(body);
  socket.uncork();
}

/**
 * Calls `handle` with each whole message. Joins chunks only once a message is complete, so a large one is copied once.
 *
 * @param {import("node:net").Socket} socket
 * @param {(message: unknown) => void} handle
 */
export function onMessages(socket, handle) {
  /** @type {Buffer[]} */
  let parts = [];
  let have = 0;
  let need = 4;
  socket.on("data", (chunk) => {
    parts.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const all = parts.length === 1 ? parts[0] : Buffer.concat(parts, have);
      const length = 4 + all.readUInt32LE(0);
      if (have < length) {
        parts = [all];
        need = length;
        return;
      }
      const rest = all.subarray(length);
      parts = rest.length ? [rest] : [];
      have = rest.length;
      need = 4;
      handle(v8.deserialize(all.subarray(4, length)));
    }
  });
}
