/**
 * The process entry of `svc`. It imports next to nothing, so that `svc --version` costs what an empty script
 * costs; everything else is loaded once it is known to be needed.
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
  // A reader that went away (`svc list | head`) is no failure of ours; a full disk is.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") endUnheard(argv, error);
  });
  // What cannot be told there cannot be told anywhere; the exit code still says it.
  process.stderr.on("error", () => {});
  watchSignals();
  process.exitCode = await runProcess(argv);
}

void main(process.argv.slice(2));
