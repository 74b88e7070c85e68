/** `svc` in the test's process, as the built one runs it: the same arguments, environment, output and exit code. */
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { commands, isGroup } from "../../cli/registry.ts";
import { run } from "../../cli/run.ts";

export interface RunInside {
  home: string;
  cwd: string;
  env: Record<string, string>;
}

/** Runs a command to its end. Its standard input is empty. */
export async function runInside(args: readonly string[], { home, cwd, env }: RunInside) {
  const startedAt = performance.now();
  const [stdout, stderr] = [collector(), collector()];
  const code = await run(args, {
    env,
    home,
    cwd,
    platform: process.platform,
    isTyped: () => false,
    stdout: stdout.stream,
    stderr: stderr.stream,
    now: () => new Date(),
    sleep: (ms) => sleep(ms),
  });
  const tookMs = Math.round(performance.now() - startedAt);
  return { code, stdout: stdout.text(), stderr: stderr.text(), tookMs };
}

/** A stream that keeps what is written to it. */
export function collector(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}

const ran = new Set<string>();

/** Whether the test file runs this command for the first time with this kind of result. */
export function isFirstRun(args: readonly string[], kind: string): boolean {
  const [name = "", subcommand] = args;
  const entry = commands[name];
  const words = entry !== undefined && isGroup(entry) ? [name, subcommand] : [name];
  const key = [process.env["SVC_TEST_FILE"], kind, ...words].join(" ");
  const isFirst = !ran.has(key);
  ran.add(key);
  return isFirst;
}
