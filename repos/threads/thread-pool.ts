/**
 * A few threads that run pieces of work, each within its limits of time and memory: a thread that exceeds one is ended,
 * and the piece with it. Callers take turns by the time that their pieces took lately, so that one with costly pieces
 * does not delay the others.
 */
import { extname } from "node:path";
import type { ReadableStream } from "node:stream/web";
import { Worker } from "node:worker_threads";
import { CallerQueue } from "./caller-queue.ts";
import { PieceError } from "./piece-error.ts";
import { type FromThread, type ToThread, receiveError } from "./protocol.ts";
import { lowerPriority, processorMs } from "./thread-scheduling.ts";

export interface ThreadPoolOptions {
  /** The program of a thread without its ending, which is that of `module`. It calls `servePieces`. */
  program: string;
  /** Address of the calling module, to which `program` is relative. */
  module: string;
  /** Maximum number of threads. Each starts when it is needed. */
  threads: number;
  /** Memory limit of a thread's objects. Bytes outside of the heap are not counted. */
  heapMegabytes: number;
  /** Pieces that wait or run: of all callers, and of one. */
  pieces: number;
  piecesPerCaller: number;
  /** Threads run at a lower priority than the process, where the system has priorities of threads. */
  isBackground?: boolean;
  /** Time after which an idle thread ends. */
  idleMs?: number;
}

export interface PieceOptions {
  /** Identifies the caller, for fairness and `piecesPerCaller`. */
  caller: string;
  /**
   * Time limit, from the start of the piece. For threads of low priority it is one of processor time where the system
   * reports that (Linux), since they wait most of the time on a busy machine.
   */
  timeMs: number;
  /** Streams in the input, which the thread reads. */
  streams?: readonly ReadableStream[];
}

interface Piece {
  caller: string;
  input: unknown;
  options: PieceOptions;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Thread {
  worker: Worker;
  running?: { piece: Piece; started: number; processorMs: number; limit: NodeJS.Timeout };
  /** Id in the system of a thread of low priority, where that is known. */
  id?: number;
  state: "starting" | "ready" | "ended";
  idle?: NodeJS.Timeout;
}

const defaultIdleMs = 60_000;
/** The longest that a piece may take on the clock if its time limit is one of processor time, as a multiple of it. */
const maxClockRatio = 20;

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queue: CallerQueue<Piece>;
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    // One thread is always left for other callers.
    this.#queue = new CallerQueue(options.piecesPerCaller, options.pieces, Math.max(1, options.threads - 1));
  }

  /** Runs a piece. Throws `PieceError`, or what the piece throws. */
  run(input: unknown, options: PieceOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new PieceError("closed", "the threads are closed"));
      const { caller } = options;
      const refused = this.#queue.add({ caller, input, options, resolve, reject });
      if (refused === "caller")
        return reject(new PieceError("caller-busy", "the caller has too many pieces"));
      refused?.reject(new PieceError("busy", "too many pieces are waiting"));
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const piece of this.#queue.drain()) piece.reject(new PieceError("closed", "the threads are closed"));
    const closing = new PieceError("closed", "the threads were closed");
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, closing)));
  }

  #startNext(): void {
    while (this.#queue.hasNext()) {
      const idle = [...this.#threads].find(({ state, running }) => state === "ready" && !running);
      if (!idle) break;
      this.#start(idle, this.#queue.next()!);
    }
    const starting = [...this.#threads].filter(({ state }) => state === "starting").length;
    if (this.#threads.size < this.#options.threads && this.#queue.runnable() > starting) this.#open();
  }

  #start(thread: Thread, piece: Piece): void {
    clearTimeout(thread.idle);
    const limit = setTimeout(() => this.#checkTime(thread), piece.options.timeMs);
    const started = performance.now();
    thread.running = { piece, started, processorMs: processorMs(thread.id) ?? 0, limit };
    thread.worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
    thread.worker.postMessage({ piece: piece.input } satisfies ToThread, piece.options.streams);
  }

  #checkTime(thread: Thread): void {
    const { running } = thread;
    if (!running) return;
    const { timeMs } = running.piece.options;
    const elapsed = performance.now() - running.started;
    const processor = processorMs(thread.id);
    const counted = processor === undefined ? elapsed : processor - running.processorMs;
    const left = Math.min(timeMs - counted, maxClockRatio * timeMs - elapsed);
    if (left < 1) void this.#end(thread, new PieceError("time", `a piece took longer than ${timeMs} ms`));
    else running.limit = setTimeout(() => this.#checkTime(thread), left);
  }

  /** Takes the piece from its thread, and counts its time. */
  #finish(thread: Thread): Piece | undefined {
    if (!thread.running) return undefined;
    const { piece, started, limit } = thread.running;
    clearTimeout(limit);
    thread.running = undefined;
    this.#queue.done(piece.caller, performance.now() - started);
    return piece;
  }

  #open(): void {
    const thread: Thread = { worker: startThread(this.#options), state: "starting" };
    this.#threads.add(thread);
    thread.worker.on("message", (message: FromThread) => this.#receive(thread, message));
    thread.worker.on("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "ended";
      void this.#end(thread, new PieceError(reason, `a thread ended: ${error.message}`, { cause: error }));
    });
    // Without effect after one of the others.
    thread.worker.on("exit", () => void this.#end(thread, new PieceError("ended", "a thread ended early")));
    this.#startNext();
  }

  #receive(thread: Thread, message: FromThread): void {
    if (thread.state === "ended") return;
    if (message.kind === "ready") {
      thread.state = "ready";
      if (this.#options.isBackground && message.id !== undefined) {
        thread.id = message.id;
        lowerPriority(message.id);
      }
    } else {
      const piece = this.#finish(thread);
      if (message.kind === "done") piece?.resolve(message.result);
      else piece?.reject(receiveError(message.error));
    }
    thread.worker.unref();
    thread.idle = setTimeout(
      () => void this.#end(thread, new PieceError("ended", "an idle thread ended")),
      this.#options.idleMs ?? defaultIdleMs,
    ).unref();
    this.#startNext();
  }

  /** Ends a thread. Another one starts only when it has ended, so that there are never more. */
  async #end(thread: Thread, error: PieceError): Promise<void> {
    if (thread.state === "ended") return;
    clearTimeout(thread.idle);
    this.#finish(thread)?.reject(error);
    // A thread that can't be loaded would be started again and again.
    if (thread.state === "starting") this.#refuseNext(error);
    thread.state = "ended";
    await thread.worker.terminate();
    this.#threads.delete(thread);
    if (!this.#isClosed) this.#startNext();
  }

  #refuseNext(error: PieceError): void {
    const piece = this.#queue.next();
    if (!piece) return;
    this.#queue.done(piece.caller, 0);
    piece.reject(error);
  }
}

function startThread({ program, module, heapMegabytes }: ThreadPoolOptions): Worker {
  const file = new URL(`${program}${extname(module)}`, module);
  const options = { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 32 } };
  if (extname(module) !== ".ts") return new Worker(file, options);
  // On Node 20 a loader does not apply to threads, so a thread that runs from source registers its own.
  const loader = import.meta.resolve("tsx/esm/api");
  const start = `import(${JSON.stringify(loader)}).then((loader) => { loader.register(); return import(${JSON.stringify(file.href)}); })`;
  return new Worker(start, { ...options, eval: true });
}
