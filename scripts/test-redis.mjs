// The Redis server of a run of tests: each built service that shares it has a database of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const DATABASES = 256;

/**
 * Starts one on a unix socket in `folder`.
 *
 * @param {string} folder
 * @returns {Promise<{ uri: string, stop(): Promise<void> } | undefined>} undefined where redis-server is not installed
 */
export async function startRedis(folder) {
  const uri = path.join(folder, "redis.sock");
  const settings = `--port 0 --unixsocket ${uri} --dir ${folder} --databases ${DATABASES} --appendonly no`;
  const server = spawn(
    "redis-server",
    [...settings.split(" "), "--save", "", "--maxmemory-policy", "noeviction"],
    {
      stdio: "ignore",
    },
  );
  const ended = once(server, "exit").catch(() => undefined);
  const isStarted = await Promise.race([
    ended.then(() => false),
    (async () => {
      while (!fs.existsSync(uri) && server.exitCode === null && server.pid !== undefined) await sleep(10);
      return server.exitCode === null && server.pid !== undefined;
    })(),
  ]);
  if (!isStarted) return undefined;
  return {
    uri,
    async stop() {
      server.kill("SIGKILL");
      await ended;
    },
  };
}
