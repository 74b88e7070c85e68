// A small checkout with the real scripts and packages, and a service of a few lines.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../support/root.ts";

export interface Checkout {
  dir: string;
  write(name: string, text: string): void;
  /** Starts a program in it, as npm would where `asNpm` is given. */
  run(command: string[], options?: RunOptions): Running;
  remove(): void;
}

interface RunOptions {
  asNpm?: boolean;
  env?: Record<string, string>;
}

interface Running {
  child: ChildProcess;
  output(): string;
  /** Resolves once the output holds `text`; fails when the program ends before. */
  untilSays(text: string): Promise<void>;
  ended: Promise<{ code: number | null; output: string }>;
}

export function makeCheckout(): Checkout {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "svc-checkout-"));
  const source = (name: string) => path.join(root, name);
  for (const name of ["scripts", "engines", "bin", "package.json", "package-lock.json", "tsconfig.json"]) {
    fs.cpSync(source(name), path.join(dir, name), { recursive: true });
  }
  for (const name of ["tsconfig.build.json", "test/support/redis.ts"])
    fs.cpSync(source(name), path.join(dir, name));
  fs.symlinkSync(source("node_modules"), path.join(dir, "node_modules"));
  return {
    dir,
    write(name, text) {
      fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
      fs.writeFileSync(path.join(dir, name), text);
    },
    run: (command, options) => run(dir, command, options),
    remove: () => fs.rmSync(dir, { recursive: true, force: true }),
  };
}

function run(dir: string, [program = "", ...args]: string[], options: RunOptions = {}): Running {
  // Nothing of the run that this test is part of.
  const { npm_lifecycle_event: _, NODE_TEST_CONTEXT: __, SVC_TEST_MONGODB_URL: ___, ...env } = process.env;
  const child = spawn(program, args, {
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env, ...(options.asNpm ? { npm_lifecycle_event: "start" } : {}), ...options.env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      child.emit("said");
    });
  }
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output }));
  return {
    child,
    output: () => output,
    async untilSays(text) {
      while (!output.includes(text)) {
        const isOver = await Promise.race([once(child, "said").then(() => false), ended.then(() => true)]);
        if (isOver && !output.includes(text)) throw new Error(`it ended without "${text}": ${output}`);
      }
    },
    ended,
  };
}
