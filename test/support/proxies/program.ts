/** Programs of other projects that tests are run against. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { until } from "../until.ts";

/** Undefined, or which of the programs is not installed. In CI that is a failure. */
export function whyMissing(...names: string[]): string | undefined {
  const missing = names.filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  const reason = `install ${missing.join(" and ")} to run these tests`;
  if (process.env["CI"]) throw new Error(`Programs are missing in CI: ${reason}`);
  return reason;
}

/** The path of a program. Those of system services are not in the PATH of every user. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Ports of this machine that nothing listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}

/** Starts a program whose files are in `folder`, and waits until it listens. Returns a function that ends it. */
export async function startProgram(
  name: string,
  args: readonly string[],
  { folder, port, env = {} }: { folder: string; port: number; env?: Record<string, string> },
): Promise<() => Promise<void>> {
  let output = "";
  const child = spawn(findProgram(name)!, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  const ended = once(child, "exit");
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
    });
  await until(`${name} to listen`, isListening, { timeoutMs: 60_000, details: async () => output });
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}
