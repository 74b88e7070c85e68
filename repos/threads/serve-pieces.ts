/** The thread's side of a pool: runs one piece after the other. */
import { readlinkSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { type FromThread, type ToThread, sendError } from "./protocol.ts";

/** Called once, by the program of a thread. */
export function servePieces<P>(run: (piece: P) => unknown): void {
  const port = parentPort!;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
  const send = (message: FromThread) => port.postMessage(message);
  const answer = async (piece: P) => {
    try {
      send({ kind: "done", result: await run(piece) });
    } catch (error) {
      send({ kind: "failed", error: sendError(error) });
    }
  };
  port.on("message", ({ piece }: ToThread) => void answer(piece as P));
  send({ kind: "ready", id: ownId() });
}

/** Only Linux shows it, where it is also the only system with priorities of threads. */
function ownId(): number | undefined {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1)) || undefined;
  } catch {
    return undefined;
  }
}
