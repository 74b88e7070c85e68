/**
 * Synchronous git for tests. A small permanent process starts it: forking the large one that runs the tests takes
 * several times as long as git's work.
 */
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export interface GitRequest {
  args: readonly string[];
  cwd?: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Base64. */
  input?: string;
}

/** Lengths of the parts that follow, in bytes. `status` is null if git could not be started. */
export interface GitAnswer {
  status: number | null;
  stdout: number;
  stderr: number;
}

/** File descriptors for writing and reading; both block. */
interface Starter {
  requests: number;
  answers: number;
}

let running: Starter | undefined;

/**
 * Runs git and returns its output. Throws with its error output if it fails.
 *
 * @param env all of its environment
 */
export function execGit(
  args: readonly string[],
  { cwd, env, input }: { cwd?: string; env: GitRequest["env"]; input?: Buffer | string },
): Buffer {
  running ??= start();
  const { requests, answers } = running;
  const request: GitRequest = { args, cwd, env };
  if (input !== undefined) request.input = Buffer.from(input).toString("base64");
  writeAll(requests, Buffer.from(JSON.stringify(request)));
  const answer = JSON.parse(readFrame(answers).toString()) as GitAnswer;
  const stdout = readBytes(answers, answer.stdout);
  const stderr = readBytes(answers, answer.stderr).toString();
  if (answer.status === 0) return stdout;
  throw new Error(`git ${args.join(" ")} ended with ${answer.status}: ${stderr}`);
}

/** Ends with this process, since its input does. */
function start(): Starter {
  const folder = mkdtempSync(path.join(os.tmpdir(), "svc-git-process-"));
  const [requests, answers] = [path.join(folder, "requests"), path.join(folder, "answers")];
  execFileSync("mkfifo", [requests, answers]);
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, "git-process-child.mjs"), requests, answers],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  child.unref();
  // Opening each blocks until the other end is opened.
  const started = { requests: openSync(requests, "w"), answers: openSync(answers, "r") };
  rmSync(folder, { recursive: true });
  return started;
}

function writeAll(fd: number, bytes: Buffer): void {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  const frame = Buffer.concat([head, bytes]);
  for (let at = 0; at < frame.length;) at += writeSync(fd, frame, at);
}

function readFrame(fd: number): Buffer {
  return readBytes(fd, readBytes(fd, 4).readUInt32BE());
}

function readBytes(fd: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count;) {
    const read = readSync(fd, bytes, at, count - at, null);
    if (read === 0) {
      closeSync(fd);
      throw new Error("the process that starts git has ended");
    }
    at += read;
  }
  return bytes;
}
