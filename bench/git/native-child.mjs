// Runs git for native.ts and measures its time, from a process with additional memory.
import { execFile } from "node:child_process";

const held = Buffer.alloc(Number(process.argv[2] ?? 0) * 1024 * 1024, 1);
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

process.on("message", ({ id, args, cwd, env }) => {
  const startedAt = performance.now();
  execFile("git", args, { cwd, env, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
    const ms = performance.now() - startedAt;
    process.send({ id, ms, output: stdout.trim(), ...(error ? { failure: stderr || error.message } : {}) });
  });
});
process.on("disconnect", () => process.exit(held[0] === 2 ? 1 : 0));
