// A real Redis: Debian's redis-server on a unix socket.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";

/** Each built service that shares the server of a run has a database of its own. */
const DATABASES = 256;

export interface TestRedis {
  redisUrl: string;
  /** The server's process. */
  pid(): number | undefined;
  /** Starts it again on the same data after a kill. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Undefined, or why there is no Redis to test against. In CI that is a failure. */
export function whyNoRedis(): string | undefined {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    const reason = "install redis-server to run these tests on Redis";
    if (process.env["CI"]) throw new Error(`No Redis in CI: ${reason}`);
    return reason;
  }
}

export async function startTestRedis(dir: string): Promise<TestRedis> {
  const socket = path.join(dir, "redis.sock");
  let server = await startServer(dir, socket);
  return {
    redisUrl: socket,
    pid: () => server.pid,
    async restart() {
      server = await startServer(dir, socket);
    },
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const gone = once(server, "exit");
      server.kill("SIGKILL");
      await gone;
    },
  };
}

async function startServer(dir: string, socket: string): Promise<ChildProcess> {
  fs.rmSync(socket, { force: true });
  const settings = `--port 0 --unixsocket ${socket} --dir ${dir} --databases ${DATABASES} --appendonly yes`;
  const server = spawn(
    "redis-server",
    [...settings.split(" "), "--save", "", "--maxmemory-policy", "noeviction"],
    {
      stdio: "ignore",
    },
  );
  for (let i = 0; i < 2400; i++) {
    if (await isLoaded(socket)) return server;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("redis-server did not start");
}

function isLoaded(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const client = net.connect(socket, () => client.write("PING\r\n"));
    client.once("data", (answer) => {
      client.destroy();
      resolve(answer.toString().startsWith("+PONG"));
    });
    client.once("error", () => resolve(false));
  });
}
