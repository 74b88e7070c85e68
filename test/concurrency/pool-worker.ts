/** Program of the threads in `thread-pool.test.ts`. */
import { threadId } from "node:worker_threads";
import { PackageError } from "../../contract/package-rules.ts";
import { servePieces } from "../../repos/threads/serve-pieces.ts";

export type TestPiece = {
  does: "echo" | "identify" | "spin" | "fill" | "refuse" | "break" | "die";
  value?: unknown;
};

servePieces(({ does, value }: TestPiece) => {
  if (does === "refuse") throw new PackageError("symlink", "It is a link.", "a/b");
  if (does === "break") throw new TypeError("broken");
  if (does === "die") process.exit(3);
  if (does === "spin") for (;;) Math.random();
  if (does === "fill") for (const kept: string[][] = []; ;) kept.push(Array.from({ length: 1e5 }, String));
  return does === "identify" ? threadId : value;
});
