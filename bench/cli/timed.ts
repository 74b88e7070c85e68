/** Runs programs to their end, and measures the time. */
import { type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { root } from "../../test/support/root.ts";

/** The client as the package has it. */
export const client = join(root, "dist", "cli", "main.cjs");

/** Milliseconds from start to exit. Throws if the program fails. */
export async function timed(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env">,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return performance.now() - startedAt;
}
