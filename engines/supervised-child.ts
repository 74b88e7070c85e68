/**
 * A child process that serves a data folder on a unix socket: started, watched, restarted, stopped.
 *
 * Protocol between parent and child (`child-lifecycle.mjs` is the other end):
 *  - The child takes an exclusive lock on the data folder before it uses the socket, and reports over IPC
 *    `{ type: "ready", openMs }` or `{ type: "failed", code, message }`.
 *  - The socket's path depends only on the data folder, so that clients reconnect automatically after a restart.
 *  - A second process with the same folder finds it BUSY and attaches to the running engine. If the owner ends, it
 *    starts the engine itself.
 *  - The child ends when its IPC channel closes, so it never outlives the parent, not even after kill -9.
 */
import type { ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import type { EmbeddedEngine, EngineEvents } from "./embedded-engine.ts";
import { EngineError, type EngineErrorCode, type EngineLog, type EngineSubject } from "./engine-error.ts";
import { codeOfSystemError, firstOutcome, hasFullDisk, isRunning, spawnEngine } from "./engine-process.ts";
import { socketPathFor } from "./socket-path.ts";

/** The end of an engine that ran for less than this counts towards giving up. */
const QUICK_END_MS = 1000;
const MAX_QUICK_ENDS_PER_MINUTE = 5;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
/** Time limit of a restart, after which the engine is killed and restarted again; the first start has none. */
const RESTART_TIMEOUT_MS = 60_000;
// Ctrl-C has to end everything within 10 s. A kill after this time loses nothing: both engines survive kill -9.
const STOP_TIMEOUT_MS = 8000;
const BUSY_ATTEMPTS = 40;
const BUSY_PAUSE_MS = 250;

export interface ChildOptions extends EngineSubject {
  /** The child's file; plain JavaScript, so that it needs no loader. Gets the data folder and the socket's path. */
  script: string;
  log: EngineLog;
  uriOf: (socketPath: string) => string;
  /** Additional environment variables for the engine; may throw an EngineError. */
  env: () => Record<string, string>;
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

export class SupervisedChild extends EventEmitter<EngineEvents> implements EmbeddedEngine {
  readonly #options: ChildOptions;
  #uri = "";
  #dataDir: string;
  #socketPath = "";
  #env: Record<string, string> = {};
  #owned: ChildProcess | undefined; // the ready one
  #latest: ChildProcess | undefined; // the latest one spawned, ready or not
  #watch: net.Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #quickEnds: number[] = [];
  #stopped: Promise<void> | undefined;

  constructor(options: ChildOptions) {
    super();
    this.#options = options;
    this.#dataDir = path.resolve(options.dataDir);
  }

  get uri(): string {
    return this.#uri;
  }

  get pid(): number | undefined {
    return this.#owned?.pid;
  }

  get attached(): boolean {
    return this.#watch !== undefined;
  }

  /** Starts the engine or attaches to the running one; resolves once it responds, however long that takes. */
  async start(): Promise<this> {
    await this.#open(undefined);
    return this;
  }

  async #open(timeoutMs: number | undefined): Promise<void> {
    this.#owned = undefined;
    this.#watch = undefined;
    this.#prepare();
    // The owner of a busy folder may be starting or stopping: retry for 10 s.
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#launch(timeoutMs);
      } catch (error) {
        if (!(error instanceof EngineError && error.code === "BUSY")) throw error;
        if (await this.#attach()) return;
        if (attempt === BUSY_ATTEMPTS) throw error;
        await sleep(BUSY_PAUSE_MS);
      }
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  #prepare() {
    try {
      fs.mkdirSync(this.#dataDir, { recursive: true, mode: 0o700 });
      this.#dataDir = fs.realpathSync(this.#dataDir); // one folder, one socket, however it is named
      fs.accessSync(this.#dataDir, fs.constants.W_OK | fs.constants.X_OK);
      this.#socketPath = socketPathFor(this.#dataDir);
      this.#uri = this.#options.uriOf(this.#socketPath);
      this.#env = this.#options.env();
    } catch (error) {
      if (error instanceof EngineError) throw error;
      const failure = error as NodeJS.ErrnoException;
      throw this.#error(codeOfSystemError(failure), failure.message, error);
    }
  }

  #error(code: EngineErrorCode, detail?: string, cause?: unknown) {
    const { name, advice } = this.#options;
    return new EngineError(code, { name, advice, dataDir: this.#dataDir }, detail, cause);
  }

  async #launch(timeoutMs: number | undefined) {
    if (this.#stopped) throw this.#error("STOPPED");
    const { log, name, script } = this.#options;
    const child = spawnEngine(script, this.#dataDir, this.#socketPath, this.#env);
    this.#latest = child;
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4000)));
    const { code, detail } = await firstOutcome(child, {
      stderr: () => stderr,
      timeoutMs,
      onNotice: () =>
        log.warn({ engine: name, pid: child.pid, dataDir: this.#dataDir }, `${name} is still starting`),
    });
    if (code !== "READY") {
      if (isRunning(child)) child.kill("SIGKILL");
      // A full disk makes the engines abort in ways that look like damage.
      const isFull = (code === "DAMAGED" || code === "OPEN_FAILED") && hasFullDisk(this.#dataDir);
      throw this.#error(isFull ? "DISK_FULL" : code, detail);
    }
    this.#owned = child;
    const readyAt = Date.now();
    // The child alone does not keep a script alive; without stop() it ends with the parent.
    child.unref();
    child.channel?.unref();
    (child.stderr as net.Socket | null)?.unref();
    child.once("exit", (exitCode, signal) => this.#onEnd(child, exitCode, signal, stderr, readyAt));
    if (!isRunning(child)) this.#onEnd(child, child.exitCode, child.signalCode, stderr, readyAt);
    log.info(
      { engine: name, pid: child.pid, dataDir: this.#dataDir, openMs: Number(detail) },
      `${name} is running`,
    );
  }

  /**
   * Keeps one connection to the engine of another process. When it closes, this process becomes the owner or attaches
   * again. An engine that is about to end closes the connection at once, hence the short wait.
   */
  #attach(): Promise<boolean> {
    const { log, name } = this.#options;
    return new Promise((resolve) => {
      const socket = net.connect(this.#socketPath);
      socket.once("error", () => resolve(false));
      socket.once("close", () => resolve(false));
      socket.once("connect", () =>
        setTimeout(() => {
          if (socket.destroyed) return;
          this.#watch = socket.unref();
          socket.on("close", () => {
            if (this.#stopped) return;
            log.warn({ engine: name, dataDir: this.#dataDir }, `the owner of the ${name} went away`);
            void this.#startAgain();
          });
          log.info({ engine: name, dataDir: this.#dataDir }, `using the ${name} of another process`);
          resolve(true);
        }, 150),
      );
    });
  }

  #onEnd(child: ChildProcess, code: number | null, signal: string | null, stderr: string, readyAt: number) {
    if (this.#stopped || this.#owned !== child) return;
    this.#owned = undefined;
    const { log, name } = this.#options;
    const hint = hasFullDisk(this.#dataDir) ? "the disk is full" : stderr.trim().slice(-300);
    log.error({ engine: name, pid: child.pid, code, signal, hint }, `${name} ended unexpectedly`);
    this.emit("crash", { code, signal });
    this.#recover(Date.now() - readyAt < QUICK_END_MS, hint);
  }

  /** Starts the engine again after a pause that grows with every quick end; clients wait and reconnect. */
  #recover(endedQuickly: boolean, hint: string) {
    const now = Date.now();
    const recent = this.#quickEnds.filter((at) => now - at < 60_000);
    this.#quickEnds = endedQuickly ? [...recent, now] : recent;
    if (this.#quickEnds.length > MAX_QUICK_ENDS_PER_MINUTE) {
      const error = this.#error("GAVE_UP", hint);
      this.#options.log.error({ engine: this.#options.name, error }, error.message);
      this.emit("failed", error);
      return;
    }
    const pauseMs = Math.min(MIN_BACKOFF_MS * 2 ** this.#quickEnds.length, MAX_BACKOFF_MS);
    this.#timer = setTimeout(() => void this.#startAgain(), pauseMs);
  }

  async #startAgain() {
    if (this.#stopped) return;
    try {
      // Not #launch() alone: a process that was attached may have become the owner.
      await this.#open(RESTART_TIMEOUT_MS);
      this.emit("restarted");
    } catch (error) {
      if (this.#stopped) return;
      const { log, name } = this.#options;
      log.error({ engine: name, error }, `${name} could not be started again`);
      this.#recover(true, (error as Error).message);
    }
  }

  async #end() {
    clearTimeout(this.#timer);
    this.#watch?.destroy();
    const child = this.#latest;
    if (!child || !isRunning(child)) return;
    child.ref();
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await gone;
    clearTimeout(timer);
  }
}
