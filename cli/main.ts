/**
 * The process entry of `svc`. It imports almost nothing, so that `svc --version` takes as long as an empty
 * script; everything else is loaded when it is needed.
 */
import { version } from "./version.ts";

async function main(argv: string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const [{ runProcess, endUnheard }, { watchSignals }] = await Promise.all([
    import("./run.ts"),
    import("./interrupt.ts"),
  ]);
  // A closed pipe (`svc list | head`) is not a failure; a full disk is.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") endUnheard(argv, error);
  });
  // An error that can't be written to stderr is reported by the exit code only.
  process.stderr.on("error", () => {});
  watchSignals();
  process.exitCode = await runProcess(argv);
}

void main(process.argv.slice(2));
