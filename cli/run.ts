/** One run of `svc`: selects the command, parses its arguments, prints its result, and returns the exit code. */
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { suggest } from "../contract/text/suggest.ts";
import { asksForJson, locateCommand, normaliseArguments } from "./arguments/argv.ts";
import type { Command, CommandResult } from "./command.ts";
import type { Context } from "./context.ts";
import { Cancelled, CliError, invalidArgument, messageOf, toCliError } from "./errors.ts";
import { commands, isGroup } from "./registry.ts";
import type { CommandEntry, CommandGroup } from "./registry/entries.ts";
import type { Io } from "./terminal/io.ts";
import { openOutput } from "./terminal/output.ts";
import type { UpdateCheck } from "./update-check.ts";
import { version } from "./version.ts";

/** The command that completion scripts call; it is not listed in help. */
const completing = "__complete";

/** Throws `CliError` if the current folder or the home folder does not exist. */
export function processIo(): Io {
  return { ...processStreams(), cwd: currentFolder(), home: homeFolder() };
}

function processStreams() {
  return {
    env: process.env,
    platform: process.platform,
    isTyped: () => process.stdin.isTTY,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => new Date(),
    sleep: (ms: number) => sleep(ms),
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    const message = "The current folder no longer exists. Change to another one.";
    throw new CliError("E_INTERNAL", message, undefined, { cause: error });
  }
}

/** With an empty or relative HOME, a login would be stored in the current folder. */
function homeFolder(): string {
  for (const find of [homedir, () => userInfo().homedir])
    try {
      const home = find();
      if (isAbsolute(home)) return home;
    } catch {
      // The system has no entry for this user.
    }
  throw new CliError("E_INTERNAL", "There is no home folder. Set HOME to an absolute path.");
}

/** Runs with the state of this process. */
export async function runProcess(argv: readonly string[]): Promise<number> {
  let io: Io;
  try {
    io = processIo();
  } catch (error) {
    bareOutput(argv).failure(toCliError(error));
    return 1;
  }
  return run(argv, io);
}

/** Ends the process after its result could not be written. */
export function endUnheard(argv: readonly string[], error: Error): never {
  const message = `The result cannot be written: ${messageOf(error)}.`;
  bareOutput(argv).failure(new CliError("E_INTERNAL", message, undefined, { cause: error }));
  process.exit(1);
}

function bareOutput(argv: readonly string[]) {
  return openOutput({ ...processStreams(), cwd: "", home: "" }, asksForJson(argv));
}

/** Returns the exit code: 0, 1 for failure, 130 for a canceled prompt. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const json = asksForJson(argv);
  const output = openOutput(io, json);
  const context: Context = {
    ...io,
    json,
    interactive: !json && io.stdout.isTTY === true && (io.env["CI"] ?? "") === "" && io.isTyped(),
    profileFlag: undefined,
    output,
  };
  const updates = await updateCheck(argv, context);
  try {
    const result = await dispatch(argv, context);
    output.result(result.data, result.text);
    await updates?.tell();
    return result.partial === true ? 1 : 0;
  } catch (error) {
    updates?.cancel();
    if (error instanceof Cancelled) return 130;
    output.failure(toCliError(error));
    if ((io.env["SVC_DEBUG"] ?? "") !== "" && error instanceof Error) output.note(error.stack ?? "");
    return 1;
  }
}

/** Undefined, without loading anything, if its result would not be shown. */
async function updateCheck(argv: readonly string[], context: Context): Promise<UpdateCheck | undefined> {
  if (!isForPerson(context)) return undefined;
  if ([completing, "completion", "upgrade"].includes(locateCommand(argv).name ?? "")) return undefined;
  return (await import("./update-check.ts")).startUpdateCheck(context);
}

function isForPerson({ json, stdout, stderr, env }: Context): boolean {
  return (
    !json &&
    stdout.isTTY === true &&
    stderr.isTTY === true &&
    (env["CI"] ?? "") === "" &&
    (env["SVC_NO_UPDATE_CHECK"] ?? "") === ""
  );
}

async function dispatch(argv: readonly string[], context: Context): Promise<CommandResult> {
  const first = locateCommand(argv);
  if (first.name === completing)
    return (await import("./completion/complete.ts")).complete(context, first.rest);
  const wantsHelp = first.name === "help";
  const given = wantsHelp ? first.rest : argv;
  const { name, entry, rest } = await findCommand(given);

  if (name === undefined) {
    if (given.includes("--version") || given.includes("-v")) return { data: { version }, text: version };
    return overview(context, given, wantsHelp, async () => (await import("./help.ts")).rootHelp(context));
  }
  const isWithoutDefault = isGroup(entry) && entry.default === undefined;
  if (isGroup(entry) && (wantsHelp || isWithoutDefault))
    return overview(context, rest, wantsHelp, async () =>
      (await import("./help.ts")).groupHelp(context, name, entry),
    );

  const command = await (isGroup(entry) ? entry.commands[entry.default!]! : entry).load();
  const words = wantsHelp ? ["--help"] : normaliseArguments(rest, command);
  const end = words.indexOf("--");
  const flags = end === -1 ? words : words.slice(0, end);
  if (flags.includes("--help")) {
    const help = await import("./help.ts");
    const usage = isGroup(entry)
      ? help.groupHelp(context, name, entry)
      : help.commandHelp(context, name, entry.summary, command);
    return { data: { usage }, text: usage };
  }
  const profile = flags.find((word) => word.startsWith("--profile="))?.slice("--profile=".length);
  return command.execute({ ...context, profileFlag: profile }, words);
}

/** Handles a line without a command: prints help, or for JSON an error, unless help was requested. */
async function overview(
  context: Context,
  words: readonly string[],
  wantsHelp: boolean,
  render: () => Promise<string>,
): Promise<CommandResult> {
  const canonical = normaliseArguments(words, { flags: {}, positionals: {} });
  if (context.json && !wantsHelp && !canonical.includes("--help"))
    throw invalidArgument("<command>", "No command given. See svc --help.");
  const usage = await render();
  return { data: { usage }, text: usage };
}

type Found =
  | { name: undefined; entry: undefined; rest: string[] }
  | { name: string; entry: CommandEntry | CommandGroup; rest: string[] };

/** The command that the line names, or the group if it names none of its commands. */
async function findCommand(argv: readonly string[]): Promise<Found> {
  const { name, rest } = locateCommand(argv);
  if (name === undefined) return { name, entry: undefined, rest };
  if (!Object.hasOwn(commands, name)) throw unknownCommand(name, Object.keys(commands));
  const entry = commands[name]!;
  if (!isGroup(entry)) return { name, entry, rest };
  const [second, ...others] = rest;
  // The other commands are not loaded for it.
  if (second !== undefined && Object.hasOwn(entry.commands, second))
    return { name: `${name} ${second}`, entry: entry.commands[second]!, rest: others };
  // The value of one of their flags must not be read as a command name.
  const shapes = await Promise.all(Object.values(entry.commands).map((command) => command.load()));
  const flags = Object.assign({}, ...shapes.map((shape) => shape.flags)) as Command["flags"];
  const sub = locateCommand(rest, flags);
  if (sub.name === undefined) return { name, entry, rest };
  // A word after a mistyped flag is not a mistyped command.
  const at = rest.findIndex((word, i) => word !== sub.rest[i]);
  normaliseArguments(rest.slice(0, at), { flags, positionals: {} });
  if (!Object.hasOwn(entry.commands, sub.name))
    throw unknownCommand(sub.name, Object.keys(entry.commands), name);
  return { name: `${name} ${sub.name}`, entry: entry.commands[sub.name]!, rest: sub.rest };
}

function unknownCommand(name: string, known: readonly string[], group?: string): CliError {
  const meant = suggest(name, known);
  const [prefix, see] = group === undefined ? ["", "svc --help"] : [`${group} `, `svc ${group} --help`];
  return invalidArgument(
    "<command>",
    `Unknown command "${prefix}${name}".${meant === undefined ? ` See ${see}.` : ` Did you mean ${prefix}${meant}?`}`,
  );
}
