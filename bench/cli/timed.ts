/** Runs programs to their end, and measures the time. */
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../../test/support/root.ts";

/** The client as the package has it. */
export const client = join(root, "dist", "cli", "main.cjs");

/** Milliseconds from start to exit. Throws if the program fails. */
export function timed(
  command: string,
  args: readonly string[],
  options: Pick<SpawnSyncOptions, "cwd" | "env">,
): number {
  const startedAt = performance.now();
  const { status, stderr, stdout } = spawnSync(command, args, { ...options, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return performance.now() - startedAt;
}
