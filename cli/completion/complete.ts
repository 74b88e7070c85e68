/**
 * `svc __complete <shell> -- <words up to the cursor>`: completes the word under the cursor. It uses the shapes of
 * commands and the local state, contacts no service, takes no lock and never fails: a shell can't show
 * an error. The first line is `files`, `folders` or `none`: what the shell should offer in addition to the following
 * lines, which have a candidate each, for zsh and fish with a tab and its description.
 */
import { locateCommand } from "../arguments/argv.ts";
import { type CommandShape, type FlagShape, globalFlags } from "../arguments/command-shape.ts";
import type { CommandResult } from "../command.ts";
import type { Context } from "../context.ts";
import { commands, isGroup } from "../registry.ts";
import { plainLine } from "../terminal/table.ts";
import { positionOf } from "./position.ts";
import { type Completion, completeValue, nothing, withPrefix } from "./values.ts";

export async function complete(context: Context, argv: readonly string[]): Promise<CommandResult> {
  const [shell, , ...words] = argv;
  const line = shell === "bash" ? joinSplitFlags(words) : { words, isSplit: false };
  const current = line.words.at(-1) ?? "";
  const found = await completeWord(context, line.words.slice(0, -1), current).catch(() => nothing);
  // bash replaces only the part after "=", the others the whole word.
  const skipped = line.isSplit ? current.indexOf("=") + 1 : 0;
  const candidates = found.offer === "none" ? found.candidates : [];
  const text = [
    found.offer,
    ...candidates
      .filter(({ value }) => value.startsWith(current))
      .map(({ value, description }) =>
        shell === "bash" ? value.slice(skipped) : `${value}\t${plainLine(description)}`,
      ),
  ].join("\n");
  return { data: { text }, text };
}

/** bash splits `--flag=value` into three words. */
function joinSplitFlags(words: readonly string[]): { words: string[]; isSplit: boolean } {
  const joined: string[] = [];
  let isSplit = false;
  for (const word of words) {
    const before = joined.at(-1);
    const isValue: boolean = before !== undefined && /^--[a-z-]+=$/.test(before) && isSplit;
    isSplit = isValue || (word === "=" && before !== undefined && /^--[a-z-]+$/.test(before));
    if (isSplit) joined[joined.length - 1] = before + word;
    else joined.push(word);
  }
  return { words: joined, isSplit };
}

async function completeWord(
  context: Context,
  before: readonly string[],
  current: string,
): Promise<Completion> {
  const first = locateCommand(before);
  if (first.name === undefined)
    return completeName(context, commands, before, current, { help: "Show help" });
  if (first.name === "help") {
    const { name } = locateCommand(first.rest);
    const entry = name !== undefined && Object.hasOwn(commands, name) ? commands[name]! : undefined;
    if (name === undefined) return completeName(context, commands, first.rest, current);
    return entry !== undefined && isGroup(entry)
      ? completeName(context, entry.commands, [], current)
      : nothing;
  }
  if (!Object.hasOwn(commands, first.name)) return nothing;
  const entry = commands[first.name]!;
  if (!isGroup(entry)) return completeCommand(context, await entry.load(), first.rest, current);

  const shapes = await Promise.all(Object.values(entry.commands).map((command) => command.load()));
  const flags = Object.assign({}, ...shapes.map((shape) => shape.flags)) as CommandShape["flags"];
  const sub = locateCommand(first.rest, flags);
  if (sub.name === undefined) {
    const alone = entry.default === undefined ? undefined : await entry.commands[entry.default]!.load();
    return completeName(context, entry.commands, first.rest, current, {}, alone?.flags);
  }
  if (!Object.hasOwn(entry.commands, sub.name)) return nothing;
  return completeCommand(context, await entry.commands[sub.name]!.load(), sub.rest, current);
}

/** Completes a command's name: the names, or the flags that may precede it. */
async function completeName(
  context: Context,
  entries: Readonly<Record<string, { summary: string }>>,
  before: readonly string[],
  current: string,
  more: Readonly<Record<string, string>> = {},
  flags: CommandShape["flags"] = {},
): Promise<Completion> {
  const position = positionOf(before, { flags, positionals: {} });
  if (current.startsWith("-") || position.awaiting !== undefined)
    return completeCommand(context, { flags, positionals: {} }, before, current);
  const names = Object.entries(entries).map(([value, { summary }]) => ({ value, description: summary }));
  const others = Object.entries(more).map(([value, description]) => ({ value, description }));
  return { offer: "none", candidates: [...names, ...others] };
}

async function completeCommand(
  context: Context,
  shape: CommandShape,
  before: readonly string[],
  current: string,
): Promise<Completion> {
  const flags: Readonly<Record<string, FlagShape>> = { ...globalFlags, ...shape.flags };
  const { awaiting, used, positionals, isEnded, profile } = positionOf(before, shape);
  if (awaiting !== undefined && !current.startsWith("-"))
    return completeValue(context, flags[awaiting]!, current, profile);
  if (!isEnded && current.startsWith("-")) {
    const equals = current.indexOf("=");
    const name = current.slice(2, equals === -1 ? undefined : equals);
    if (equals !== -1) {
      if (!Object.hasOwn(flags, name)) return nothing;
      return withPrefix(
        await completeValue(context, flags[name]!, current.slice(equals + 1), profile),
        current.slice(0, equals + 1),
      );
    }
    const barred = (shape.exclusive ?? []).filter((group) => group.some((one) => used.has(one))).flat();
    const candidates = Object.entries(flags)
      .filter(([flag, { multiple }]) => multiple === true || (!used.has(flag) && !barred.includes(flag)))
      .map(([flag, { description }]) => ({ value: `--${flag}`, description }));
    return { offer: "none", candidates };
  }
  const all = Object.values(shape.positionals);
  const positional = all[positionals] ?? (all.at(-1)?.multiple === true ? all.at(-1) : undefined);
  return positional === undefined ? nothing : completeValue(context, positional, current, profile);
}
