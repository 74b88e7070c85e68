import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A socket's address holds 108 bytes on Linux and 104 on macOS, its closing zero included. */
const MAX_SOCKET_PATH_BYTES = 100;

/** `<dataDir>/engine.sock`, or one in a private temp folder of this user where that is too long for an address. */
export function socketPathFor(dataDir: string): string {
  const inside = path.join(dataDir, "engine.sock");
  if (Buffer.byteLength(inside) <= MAX_SOCKET_PATH_BYTES) return inside;
  const uid = process.getuid?.() ?? 0;
  const key = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const dir = path.join(os.tmpdir(), `engine-${uid}-${key}`);
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stat = fs.lstatSync(dir);
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o077) !== 0) {
    throw new Error(`${dir} is not a private folder of this user`);
  }
  const outside = path.join(dir, "engine.sock");
  if (Buffer.byteLength(outside) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`the path of the temp folder ${os.tmpdir()} is too long for a socket`);
  }
  return outside;
}
