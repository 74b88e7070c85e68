/** The built `svc` as a person or a pipeline runs it, in a home folder of its own. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import type { CliFailurePayload } from "../../contract/payloads/cli/cli.ts";
import { keepContract, keepFailure, payloadNameOf } from "./cli-contract.ts";
import { isFirstRun, runInside } from "./cli-inside.ts";
import { root } from "./root.ts";
import { plainEnv } from "./server.ts";

const timeoutMs = 300_000;

export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
  tookMs: number;
}

export type CliFailure = CliFailurePayload["error"];

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** The standard input; without it, there is none. */
  input?: string;
  /** A child process in any case: for runs that are concurrent, or whose process is tested. */
  asProcess?: boolean;
}

export interface CliOptions {
  home: string;
  apiUrl: () => string;
  cwd: string;
  /**
   * Whether only the first run of each command in a test file, for each kind of result, is a child process. Others run
   * in the test's process, which takes a fifth of the CPU time.
   */
  isRepeatedInside?: boolean;
}

export interface Cli {
  readonly home: string;
  /** Runs a command to its end, with any exit code. */
  run(args: readonly string[], options?: RunOptions): Promise<CliRun>;
  /**
   * Runs with `-o json`: fails unless the exit code is 0 and stdout is exactly one JSON document. Returns the document.
   */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>;
  /** The same for a partial failure: exit code 1, and the payload contains the failures. */
  partial(args: readonly string[], options?: RunOptions): Promise<unknown>;
  /** The same for a hard failure: exit code 1, nothing on stdout, one error object on stderr. Returns the error. */
  failure(args: readonly string[], options?: RunOptions): Promise<CliFailure>;
  /** Starts a command that waits for something, and returns its lines as they arrive. */
  start(args: readonly string[], options?: RunOptions): StartedCli;
}

export interface StartedCli {
  /** Waits for the line of JSON with this index on stdout. */
  line(index: number): Promise<Record<string, unknown>>;
  ended: Promise<CliRun>;
  kill(): void;
}

export function openCli(options: CliOptions): Cli {
  const { home } = options;
  const cwdOf = (given: RunOptions) => given.cwd ?? options.cwd;
  const envOf = (given: RunOptions) =>
    plainEnv({ HOME: home, SVC_API_URL: options.apiUrl(), NO_COLOR: "1", ...given.env });
  const start = (args: readonly string[], given: RunOptions = {}) => {
    const child = spawn(process.execPath, [path.join(root, "bin", "svc"), ...args], {
      cwd: cwdOf(given),
      env: envOf(given),
      stdio: ["pipe", "pipe", "pipe"],
    });
    // A command that ends without reading closes it.
    child.stdin.on("error", () => {});
    child.stdin.end(given.input ?? "");
    return started(child);
  };
  const run = (args: readonly string[], given: RunOptions = {}, kind = "people"): Promise<CliRun> => {
    const isInside = options.isRepeatedInside === true && !given.asProcess && given.input === undefined;
    return isInside && !isFirstRun(args, kind)
      ? runInside(args, { home, cwd: cwdOf(given), env: envOf(given) })
      : start(args, given).ended;
  };
  const payload = async (args: readonly string[], code: number, given?: RunOptions) => {
    const done = await run([...args, "-o", "json"], given, `exit ${code}`);
    const context = `svc ${args.join(" ")}\nstdout: ${done.stdout}\nstderr: ${done.stderr}`;
    assert.equal(done.code, code, context);
    assert.equal(done.stderr, "", context);
    const document = onlyDocument(done.stdout, context);
    keepContract(payloadNameOf(args, document), document);
    return document;
  };
  return {
    home,
    run: (args, given) => run(args, given),
    start,
    json: (args, given) => payload(args, 0, given),
    partial: (args, given) => payload(args, 1, given),
    async failure(args, given) {
      const done = await run([...args, "-o", "json"], given, "failure");
      const context = `svc ${args.join(" ")}\nstdout: ${done.stdout}\nstderr: ${done.stderr}`;
      assert.equal(done.code, 1, context);
      assert.equal(done.stdout, "", context);
      return keepFailure(onlyDocument(done.stderr, context), context);
    },
  };
}

function onlyDocument(text: string, context: string): unknown {
  assert.match(text, /^[^\n]+\n$/, `not exactly one line: ${context}`);
  return JSON.parse(text);
}

function started(child: ChildProcessByStdio<Writable, Readable, Readable>): StartedCli {
  const startedAt = performance.now();
  let stdout = "";
  let stderr = "";
  let isOver = false;
  let wake = () => {};
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const ended = new Promise<CliRun>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      isOver = true;
      wake();
      resolve({ code, stdout, stderr, tookMs: Math.round(performance.now() - startedAt) });
    });
  });
  return {
    ended,
    kill: () => void child.kill("SIGKILL"),
    async line(index) {
      for (;;) {
        const lines = stdout.split("\n").slice(0, -1);
        if (lines.length > index) return JSON.parse(lines[index]!) as Record<string, unknown>;
        if (isOver) throw new Error(`svc ended without line ${index}: ${stdout}${stderr}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
