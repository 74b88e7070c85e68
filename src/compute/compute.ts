/**
 * Runs work on content that anyone may have written in a few threads, so that it delays no other request: each piece
 * within limits of time and memory, and of one caller only some at a time.
 */
import { availableParallelism } from "node:os";
import type { ReadableStream } from "node:stream/web";
import { PieceError } from "../../repos/threads/piece-error.ts";
import { ThreadPool, type ThreadPoolOptions } from "../../repos/threads/thread-pool.ts";
import { ServiceError } from "../errors.ts";
import type { PieceInput, PieceKind, PieceResult } from "./pieces/index.ts";

/** One thread is always left for other callers. More than four would take the processors from the requests. */
const threads = Math.min(4, Math.max(2, availableParallelism() - 1));

/** Far above what the largest ordinary content takes on a slow machine. */
const defaultTimeMs = 5000;
/** Pieces that read a whole package, which may have 100 MiB. */
const packageTimeMs = 60_000;
/** The largest signed XML, with ten certificates, and the time to load the library in a new thread. */
const signatureTimeMs = 20_000;
/** A new thread loads the renderer and the fonts. */
const pictureTimeMs = 20_000;
const timesMs: Partial<Record<PieceKind, number>> = {
  scan: packageTimeMs,
  "digest-zip": packageTimeMs,
  "lint-zip": packageTimeMs,
  "verify-xml": signatureTimeMs,
  "draw-card": pictureTimeMs,
};

/** Time after which a call that was refused may be repeated. */
const retryAfterSeconds = 2;

export interface Compute {
  /** Work for a caller (`actorKey`). */
  by(caller: string): CallerCompute;
  close(): Promise<void>;
}

export interface CallerCompute {
  /**
   * Runs a piece. Throws `too_costly` if it exceeds a limit, `rate_limited` if the caller has too many pieces,
   * `unavailable` if too many are waiting, and `PackageError` for a zip that can't be read.
   * `streams`: those in the input.
   */
  run<K extends PieceKind>(
    kind: K,
    input: PieceInput<K>,
    streams?: readonly ReadableStream[],
  ): Promise<PieceResult<K>>;
}

export function openCompute(options: Partial<ThreadPoolOptions> & { timeMs?: number } = {}): Compute {
  const pool = new ThreadPool({
    program: "./thread",
    module: import.meta.url,
    threads,
    heapMegabytes: 192,
    pieces: 200,
    piecesPerCaller: 10,
    isBackground: true,
    ...options,
  });
  return {
    by: (caller) => ({
      async run<K extends PieceKind>(kind: K, input: PieceInput<K>, streams: readonly ReadableStream[] = []) {
        const timeMs = options.timeMs ?? timesMs[kind] ?? defaultTimeMs;
        try {
          return (await pool.run({ kind, input }, { caller, timeMs, streams })) as PieceResult<K>;
        } catch (error) {
          throw error instanceof PieceError ? refusalOf(error) : error;
        }
      },
    }),
    close: () => pool.close(),
  };
}

function refusalOf(cause: PieceError): Error {
  const { reason } = cause;
  const refuse = (code: "too_costly" | "rate_limited" | "unavailable", message: string) =>
    new ServiceError(code, message, code === "too_costly" ? undefined : { retryAfterSeconds }, { cause });
  if (reason === "time" || reason === "memory")
    return refuse(
      "too_costly",
      "The content takes too much time or memory to process. Make it smaller or simpler.",
    );
  if (reason === "caller-busy")
    return refuse("rate_limited", "Too many of your requests are being processed. Wait until they finish.");
  if (reason === "busy" || reason === "closed")
    return refuse("unavailable", "The service is processing too many requests. Try again in a few seconds.");
  return cause;
}
