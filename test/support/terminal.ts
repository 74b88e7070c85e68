/** A program at a real terminal: under a pseudo-terminal, with typed input, and read with all of its output. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { plainEnv } from "./server.ts";

export interface Terminal {
  /** Everything written so far, control sequences included. */
  text: () => string;
  /** Waits until the output contains the text; fails with the output otherwise. */
  until: (pattern: RegExp, withinMs?: number) => Promise<void>;
  type: (keys: string) => void;
  /** The process that runs at the terminal. */
  pid: () => number;
  /** The exit code as a shell reports it. */
  ended: Promise<number>;
}

export const ctrlC = "\u0003";

/**
 * Python's pty module is on every machine that has Python; `script` differs between systems. The child prints its pid
 * first and its wait status at the end, so that a signal is distinguished from an exit code.
 */
const bridge = `
import os, pty, select, signal, struct, sys, fcntl, termios
columns = int(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
sys.stderr.write("pid %d\\n" % pid); sys.stderr.flush()
isOpen = True
while True:
    ready = select.select([fd] + ([0] if isOpen else []), [], [])[0]
    if fd in ready:
        try: data = os.read(fd, 65536)
        except OSError: data = b""
        if not data: break
        os.write(1, data)
    if 0 in ready:
        keys = os.read(0, 4096)
        if keys: os.write(fd, keys)
        else: isOpen = False
status = os.waitpid(pid, 0)[1]
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
sys.stderr.write("exit %d\\n" % code); sys.stderr.flush()
`;

export const hasTerminal = spawnSync("python3", ["-c", "import pty"]).status === 0;

/** Whether tests at a terminal are skipped, as the option of `it`: never under CI, where the program must exist. */
export const needsTerminal =
  hasTerminal || process.env["CI"] === "true" ? {} : { skip: "needs python3 for a pseudo-terminal" };

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function openTerminal(
  command: readonly string[],
  options: { cwd: string; env: Record<string, string>; columns?: number },
): Terminal {
  const child = spawn("python3", ["-c", bridge, String(options.columns ?? 80), ...command], {
    cwd: options.cwd,
    env: plainEnv({ TERM: "xterm-256color", LANG: "C.UTF-8", ...options.env }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  let text = "";
  let status = "";
  let wake = () => {};
  let isOver = false;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (status += chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), 300_000);
  const ended = new Promise<number>((resolve) => {
    child.once("close", () => {
      clearTimeout(timer);
      running.delete(child);
      isOver = true;
      wake();
      resolve(Number(/exit (\d+)/.exec(status)?.[1] ?? -1));
    });
  });
  return {
    text: () => text,
    type: (keys) => void child.stdin.write(keys),
    pid: () => Number(/pid (\d+)/.exec(status)?.[1]),
    ended,
    async until(pattern, withinMs = 120_000) {
      for (const deadline = Date.now() + withinMs; !pattern.test(text);) {
        if (isOver || Date.now() > deadline) throw new Error(`${pattern} did not come:\n${text}\n${status}`);
        await Promise.race([
          new Promise<void>((resolve) => (wake = resolve)),
          new Promise<void>((resolve) => setTimeout(resolve, 50).unref()),
        ]);
      }
    },
  };
}
