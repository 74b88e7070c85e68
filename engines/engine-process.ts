/** The process of an engine: its start, and its first message or its end. */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type EngineErrorCode, isEngineErrorCode } from "./engine-error.ts";

const FULL_DISK_BYTES = 32 * 2 ** 20;
const START_NOTICE_MS = 10_000;

/** The parent's environment is not inherited: it may contain secrets, loaders and debuggers. */
export function spawnEngine(
  script: string,
  dataDir: string,
  socketPath: string,
  env: Record<string, string>,
): ChildProcess {
  return spawn(process.execPath, [script, dataDir, socketPath], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {
      PATH: path.dirname(process.execPath),
      HOME: os.homedir(),
      TMPDIR: os.tmpdir(),
      LANG: "C.UTF-8",
      ...env,
    },
  });
}

export const isRunning = (child: ChildProcess) =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;

export function hasFullDisk(dir: string): boolean {
  try {
    const { bavail, bsize } = fs.statfsSync(dir);
    return bavail * bsize < FULL_DISK_BYTES;
  } catch {
    return false;
  }
}

export function codeOfSystemError(error: NodeJS.ErrnoException): EngineErrorCode {
  if (error.code === "ENOSPC") return "DISK_FULL";
  return ["EACCES", "EPERM", "EROFS"].includes(error.code ?? "") ? "NOT_WRITABLE" : "OPEN_FAILED";
}

/** The first message of a child, or the way in which it ended without one. */
interface Outcome {
  code: EngineErrorCode | "READY";
  detail: string;
}

function outcomeOfMessage(message: unknown): Outcome {
  const { type, code, message: detail, openMs } = Object(message) as Record<string, unknown>;
  if (type === "ready") return { code: "READY", detail: String(openMs) };
  return { code: isEngineErrorCode(code) ? code : "OPEN_FAILED", detail: String(detail) };
}

function outcomeOfExit(code: number | null, signal: string | null, stderr: string): Outcome {
  const detail = stderr.trim().split("\n").at(-1) || `it ended with ${signal ?? code}`;
  if (signal === "SIGILL") return { code: "ILLEGAL", detail };
  return { code: code === 14 || signal === "SIGABRT" ? "DAMAGED" : "OPEN_FAILED", detail };
}

/** Resolves to the first message of the child, or to its end. `onNotice` is called repeatedly while it starts. */
export function firstOutcome(
  child: ChildProcess,
  options: { stderr: () => string; timeoutMs: number | undefined; onNotice: () => void },
): Promise<Outcome> {
  const { stderr, timeoutMs, onNotice } = options;
  return new Promise((resolve) => {
    const notice = setInterval(onNotice, START_NOTICE_MS);
    const timer = timeoutMs && setTimeout(() => finish({ code: "TIMEOUT", detail: "" }), timeoutMs);
    const finish = (outcome: Outcome) => {
      clearInterval(notice);
      clearTimeout(timer);
      resolve(outcome);
    };
    child.once("message", (message) => finish(outcomeOfMessage(message)));
    child.once("error", (error) => finish({ code: "NO_BINARY", detail: error.message }));
    child.once("close", (code, signal) => finish(outcomeOfExit(code, signal, stderr())));
  });
}
