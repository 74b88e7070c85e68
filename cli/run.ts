/** One run of `svc`: which command, its arguments, its answer, its exit code. */
import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { asksForJson, locateCommand, normaliseArguments } from "./argv.ts";
import type { CommandResult } from "./command.ts";
import type { Context, Io } from "./context.ts";
import { Cancelled, invalidArgument, toCliError } from "./errors.ts";
import { openOutput } from "./output.ts";
import { commands } from "./registry.ts";
import { suggest } from "./suggest.ts";
import { version } from "./version.ts";

export function processIo(): Io {
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => new Date(),
    sleep: (ms) => sleep(ms),
  };
}

/** Answers the exit code: 0, 1 for failure, 130 when a person ended a prompt. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const json = asksForJson(argv);
  const output = openOutput(io, json);
  const context: Context = {
    ...io,
    json,
    interactive: !json && io.stdin.isTTY === true && io.stdout.isTTY === true && (io.env["CI"] ?? "") === "",
    profileFlag: undefined,
    output,
  };
  try {
    const result = await dispatch(argv, context);
    output.result(result.data, result.text);
    return result.partial === true ? 1 : 0;
  } catch (error) {
    if (error instanceof Cancelled) return 130;
    output.failure(toCliError(error));
    if (!json && (io.env["SVC_DEBUG"] ?? "") !== "" && error instanceof Error)
      io.stderr.write(`${error.stack}\n`);
    return 1;
  }
}

async function dispatch(argv: readonly string[], context: Context): Promise<CommandResult> {
  const located = locateCommand(argv);
  const wantsHelp = located.name === "help" || located.name === undefined;
  const name = located.name === "help" ? locateCommand(located.rest).name : located.name;

  if (name === undefined) {
    const words = located.name === "help" ? located.rest : argv;
    if (words.includes("--version") || words.includes("-v")) return { data: { version }, text: version };
    const canonical = normaliseArguments(words, { flags: {}, positionals: {} });
    if (context.json && located.name === undefined && !canonical.includes("--help"))
      throw invalidArgument("<command>", "No command given. See svc --help.");
    const { rootHelp } = await import("./help.ts");
    const usage = await rootHelp(context);
    return { data: { usage }, text: usage };
  }

  if (!Object.hasOwn(commands, name)) {
    const meant = suggest(name, Object.keys(commands));
    throw invalidArgument(
      "<command>",
      `Unknown command "${name}".${meant === undefined ? " See svc --help." : ` Did you mean ${meant}?`}`,
    );
  }
  const command = await commands[name]!.load();
  const words = wantsHelp ? ["--help"] : normaliseArguments(located.rest, command);
  const end = words.indexOf("--");
  const flags = end === -1 ? words : words.slice(0, end);
  if (flags.includes("--help")) {
    const { commandHelp } = await import("./help.ts");
    const usage = await commandHelp(context, command);
    return { data: { usage }, text: usage };
  }
  const profile = flags.find((word) => word.startsWith("--profile="))?.slice("--profile=".length);
  return command.execute({ ...context, profileFlag: profile }, words);
}
