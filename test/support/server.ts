/**
 * The built service as an operator runs it: a child process on a free port and a data folder of its own, with its
 * embedded engines. It shares nothing with other test files.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./root.ts";

/** The time of a start on a machine that is busy with other tests. */
const readyTimeoutMs = 300_000;
const exitTimeoutMs = 120_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServerOptions {
  dataDir: string;
  env?: Record<string, string>;
  args?: readonly string[];
  /** `npm`: `npm start`; `launcher`: scripts/start.mjs, as npm runs it; by default only the built file. */
  entry?: "npm" | "launcher" | "built";
  /** In a process group of its own, so that a signal can reach all of it, as Ctrl-C does. */
  ownGroup?: boolean;
  /** Address at which the process itself responds, if its users reach it by another one. */
  ownUrl?: string;
  /** Another built checkout than the tested one. */
  checkout?: string;
  /** Time after which a process that is run to its end is killed. */
  killAfterMs?: number;
  /** When it resolves, SIGTERM is sent to a process that is run to its end. */
  endWhen?: Promise<unknown>;
}

export interface Server {
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** From the start of the process until `/readyz` succeeded. */
  readonly startMs: number;
  /** The one-time link of an empty service. */
  readonly setupLink: string | undefined;
  /** Everything written to stdout and stderr so far. */
  output(): string;
  /** The lines of the log, oldest first. */
  log(): Record<string, unknown>[];
  /** Processes that this one started and that are alive. */
  engines(): RunningProcess[];
  isRunning(): boolean;
  /** Sends a signal and waits for the end of the process; its engines may still run for a moment. */
  kill(signal: NodeJS.Signals): Promise<Exit>;
  /** A graceful exit; fails otherwise. */
  stop(): Promise<void>;
}

export interface RunningProcess {
  pid: number;
  command: string;
}

interface Spawned {
  child: ChildProcess;
  output: () => string;
  exited: Promise<Exit>;
}

/** All processes that tests of this process started; ended with it even if a test fails before the end. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
// The signal that ends a test file on a timeout; without this, a process would end by it with no "exit" event.
process.once("SIGTERM", () => process.exit(143));

export function temporaryFolder(name: string): string {
  return mkdtempSync(path.join(os.tmpdir(), `svc-${name}-`));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Only what any program needs: a test must not depend on the developer's settings. */
export function plainEnv(extra: Record<string, string> = {}): Record<string, string> {
  const kept = ["PATH", "TMPDIR", "LANG", "SystemRoot"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { HOME: os.homedir(), ...Object.fromEntries(kept), ...extra };
}

function spawnServer(options: ServerOptions): Spawned {
  const file = options.entry === "launcher" ? "scripts/start.mjs" : "dist/server.js";
  const checkout = options.checkout ?? root;
  const args = options.args ?? [];
  const [program, ...given] =
    options.entry === "npm"
      ? (["npm", "start", "--silent", "--", ...args] as const)
      : ([process.execPath, path.join(checkout, file), ...args] as const);
  const child = spawn(program, given, {
    cwd: checkout,
    env: plainEnv({
      HOST: "127.0.0.1",
      PORT: "0",
      DRAIN_SECONDS: "0",
      DATA_DIR: options.dataDir,
      ...options.env,
    }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: options.ownGroup === true,
  });
  running.add(child);
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => chunks.push(chunk));
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  return { child, output: () => chunks.join(""), exited };
}

/** Runs a command of the service (`verify`, `export FILE`, …), or a start that should fail, to its end. */
export async function runServer(options: ServerOptions): Promise<Exit & { output: string; tookMs: number }> {
  const startedAt = performance.now();
  const { child, output, exited } = spawnServer(options);
  const timer = setTimeout(() => child.kill("SIGKILL"), options.killAfterMs ?? readyTimeoutMs);
  void options.endWhen?.then(() => child.kill("SIGTERM"));
  const exit = await exited;
  clearTimeout(timer);
  return { ...exit, output: output(), tookMs: Math.round(performance.now() - startedAt) };
}

/** Starts the service and waits until it is ready. Throws with its whole output if it ends or hangs. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const startedAt = performance.now();
  const { child, output, exited } = spawnServer(options);
  const ended: Exit[] = [];
  void exited.then((exit) => ended.push(exit));
  const failed = (what: string) => new Error(`The service ${what}. It wrote:\n${output().slice(-4000)}`);

  let url: string | undefined;
  // A worker announces no address.
  const workerUrl = options.args?.includes("worker") === true ? options.ownUrl : undefined;
  for (const deadline = startedAt + readyTimeoutMs; ; await sleep(10)) {
    if (ended[0]) throw failed(`ended with ${ended[0].signal ?? ended[0].code} at its start`);
    if (performance.now() > deadline) {
      child.kill("SIGKILL");
      throw failed(`was not ready after ${readyTimeoutMs} ms`);
    }
    url ??= /Serving at (\S+)/.exec(output())?.[1] ?? workerUrl;
    if (url !== undefined && (await isReady(options.ownUrl ?? url))) break;
  }
  const startMs = Math.round(performance.now() - startedAt);
  const pid = child.pid!;
  const isRunning = () => child.exitCode === null && child.signalCode === null;

  const kill = async (signal: NodeJS.Signals) => {
    if (isRunning()) process.kill(options.ownGroup === true && signal !== "SIGKILL" ? -pid : pid, signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), exitTimeoutMs);
    const exit = await exited;
    clearTimeout(timer);
    return exit;
  };
  return {
    url,
    pid,
    dataDir: options.dataDir,
    startMs,
    setupLink: /\S+\/setup\?token=\S+/.exec(output())?.[0],
    output,
    log: () =>
      output()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    engines: () => processesOf(options.dataDir).filter((each) => each.pid !== pid),
    isRunning,
    kill,
    async stop() {
      const { code, signal } = await kill("SIGTERM");
      if (code !== 0) throw failed(`did not end in order, but with ${signal ?? code}`);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(60_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Processes that work on a data folder: whose command line or environment names it. Needs Linux. */
export function processesOf(dataDir: string): RunningProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        const isOurs =
          command !== "" && (command.includes(dataDir) || environment.includes(`DATA_DIR=${dataDir}`));
        return isOurs ? [{ pid: Number(pid), command }] : [];
      } catch {
        return []; // ended in the meantime, or another user's
      }
    });
}

/** Fails if a process still works on the folder after `withinMs`: engines of a killed service end automatically. */
export async function assertNothingRuns(dataDir: string, withinMs = 60_000): Promise<void> {
  for (const deadline = Date.now() + withinMs; ; await sleep(25)) {
    const left = processesOf(dataDir);
    if (left.length === 0) return;
    if (Date.now() < deadline) continue;
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    throw new Error(`Left running after ${withinMs} ms: ${left.map((each) => each.command).join("; ")}`);
  }
}
