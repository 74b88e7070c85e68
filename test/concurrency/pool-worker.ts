/** Program of the threads in `thread-pool.test.ts`. */
import { readFileSync } from "node:fs";
import { threadId } from "node:worker_threads";
import { PackageError } from "../../contract/checks/package-rules.ts";
import { servePieces } from "../../repos/threads/serve-pieces.ts";

export type TestPiece = {
  does: "echo" | "identify" | "spin" | "work" | "fill" | "refuse" | "break" | "die";
  value?: unknown;
};

servePieces(({ does, value }: TestPiece) => {
  if (does === "refuse") throw new PackageError("symlink", "It is a link.", "a/b");
  if (does === "break") throw new TypeError("broken");
  if (does === "die") process.exit(3);
  if (does === "work") return work();
  if (does === "spin") for (;;) Math.random();
  if (does === "fill") for (const kept: string[][] = []; ;) kept.push(Array.from({ length: 1e5 }, String));
  return does === "identify" ? threadId : value;
});

/** Takes some tens of milliseconds. Returns the time that it had a processor, in milliseconds. */
function work(): number {
  const ranMs = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  const started = ranMs();
  for (let n = 0; n < 1e7; n++) Math.random();
  return ranMs() - started;
}
