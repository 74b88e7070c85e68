/**
 * `svc __complete <shell> -- <words up to the cursor>`: completes the word under the cursor. It uses the shapes of
 * commands and the local state, contacts no service, takes no lock and never fails: a shell can't show
 * an error. The first line is `files`, `folders` or `none`: what the shell should offer in addition to the following
 * lines, which have a candidate each, for zsh and fish with a tab and its description.
 */
import { targets } from "../contract/vocabulary.ts";
import {
  type CommandShape,
  type FlagShape,
  type PositionalShape,
  globalFlags,
  locateCommand,
} from "./argv.ts";
import type { CommandResult } from "./command.ts";
import type { Context } from "./context.ts";
import { commands, isGroup } from "./registry.ts";
import { type Config, profileNames, profileOverride, readConfigFile } from "./state/config.ts";
import { statePaths } from "./state/paths.ts";
import { plainLine } from "./table.ts";

interface Candidate {
  value: string;
  description: string;
}

type Completion = { offer: "files" | "folders" } | { offer: "none"; candidates: Candidate[] };

const nothing: Completion = { offer: "none", candidates: [] };

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
  if (first.name === undefined) return ofNames(context, commands, before, current, { help: "Show help" });
  if (first.name === "help") {
    const { name } = locateCommand(first.rest);
    const entry = name !== undefined && Object.hasOwn(commands, name) ? commands[name]! : undefined;
    if (name === undefined) return ofNames(context, commands, first.rest, current);
    return entry !== undefined && isGroup(entry) ? ofNames(context, entry.commands, [], current) : nothing;
  }
  if (!Object.hasOwn(commands, first.name)) return nothing;
  const entry = commands[first.name]!;
  if (!isGroup(entry)) return ofCommand(context, await entry.load(), first.rest, current);

  const shapes = await Promise.all(Object.values(entry.commands).map((command) => command.load()));
  const flags = Object.assign({}, ...shapes.map((shape) => shape.flags)) as CommandShape["flags"];
  const sub = locateCommand(first.rest, flags);
  if (sub.name === undefined) {
    const alone = entry.default === undefined ? undefined : await entry.commands[entry.default]!.load();
    return ofNames(context, entry.commands, first.rest, current, {}, alone?.flags);
  }
  if (!Object.hasOwn(entry.commands, sub.name)) return nothing;
  return ofCommand(context, await entry.commands[sub.name]!.load(), sub.rest, current);
}

/** Completes a command's name: the names, or the flags that may precede it. */
async function ofNames(
  context: Context,
  entries: Readonly<Record<string, { summary: string }>>,
  before: readonly string[],
  current: string,
  more: Readonly<Record<string, string>> = {},
  flags: CommandShape["flags"] = {},
): Promise<Completion> {
  const position = positionOf(before, { flags, positionals: {} });
  if (current.startsWith("-") || position.awaiting !== undefined)
    return ofCommand(context, { flags, positionals: {} }, before, current);
  const names = Object.entries(entries).map(([value, { summary }]) => ({ value, description: summary }));
  const others = Object.entries(more).map(([value, description]) => ({ value, description }));
  return { offer: "none", candidates: [...names, ...others] };
}

async function ofCommand(
  context: Context,
  shape: CommandShape,
  before: readonly string[],
  current: string,
): Promise<Completion> {
  const flags: Readonly<Record<string, FlagShape>> = { ...globalFlags, ...shape.flags };
  const { awaiting, used, positionals, isEnded, profile } = positionOf(before, shape);
  if (awaiting !== undefined && !current.startsWith("-"))
    return ofValue(context, flags[awaiting]!, current, profile);
  if (!isEnded && current.startsWith("-")) {
    const equals = current.indexOf("=");
    const name = current.slice(2, equals === -1 ? undefined : equals);
    if (equals !== -1) {
      if (!Object.hasOwn(flags, name)) return nothing;
      return withPrefix(
        await ofValue(context, flags[name]!, current.slice(equals + 1), profile),
        current.slice(0, equals + 1),
      );
    }
    const barred = (shape.exclusive ?? []).filter((group) => group.some((one) => used.has(one))).flat();
    const candidates = Object.entries(flags)
      .filter(([flag, { multiple }]) => multiple === true || (!used.has(flag) && !barred.includes(flag)))
      .map(([flag, { description }]) => ({ value: `--${flag}`, description }));
    return { offer: "none", candidates };
  }
  const positional = Object.values(shape.positionals)[positionals];
  return positional === undefined ? nothing : ofValue(context, positional, current, profile);
}

interface Position {
  /** The flag whose value is being typed. */
  awaiting: string | undefined;
  used: Set<string>;
  /** Number of arguments before the cursor. */
  positionals: number;
  /** After `--`. */
  isEnded: boolean;
  profile: string | undefined;
}

/** Parses the words before the cursor, ignoring errors. */
function positionOf(before: readonly string[], shape: CommandShape): Position {
  const flags: Readonly<Record<string, FlagShape>> = { ...globalFlags, ...shape.flags };
  const position: Position = {
    awaiting: undefined,
    used: new Set(),
    positionals: 0,
    isEnded: false,
    profile: undefined,
  };
  for (const word of before) {
    const awaited = position.awaiting;
    position.awaiting = undefined;
    if (awaited !== undefined && !word.startsWith("-")) {
      if (awaited === "profile") position.profile = word;
    } else if (position.isEnded || !word.startsWith("-") || word === "-") position.positionals++;
    else if (word === "--") position.isEnded = true;
    else {
      const name = lastFlag(word, flags);
      if (name === undefined) continue;
      position.used.add(name);
      if (word.startsWith("--profile=")) position.profile = word.slice("--profile=".length);
      if (flags[name]!.value !== "none" && !word.includes("=")) position.awaiting = name;
    }
  }
  return position;
}

/** The flag of `--name`, or that of the last letter of combined flags; undefined if its value is attached. */
function lastFlag(word: string, flags: Readonly<Record<string, FlagShape>>): string | undefined {
  if (word.startsWith("--")) {
    const name = word.slice(2).split("=")[0]!;
    return Object.hasOwn(flags, name) ? name : undefined;
  }
  let found: string | undefined;
  for (let at = 1; at < word.length; at++) {
    found = Object.keys(flags).find((name) => flags[name]!.short === word[at]);
    if (found === undefined) return undefined;
    if (flags[found]!.value !== "none") return at === word.length - 1 ? found : undefined;
  }
  return found;
}

async function ofValue(
  context: Context,
  shape: FlagShape | PositionalShape,
  current: string,
  profile: string | undefined,
): Promise<Completion> {
  const described = (values: readonly string[], description = ""): Completion => ({
    offer: "none",
    candidates: values.map((value) => ({ value, description })),
  });
  if (shape.choices !== undefined) return described(shape.choices);
  switch (shape.completes) {
    case "path":
      return { offer: "files" };
    case "folder":
      return { offer: "folders" };
    case "target": {
      const chosen = current.split(",").slice(0, -1);
      const rest = targets.filter((target) => !chosen.includes(target));
      return withPrefix(described(rest), chosen.map((target) => `${target},`).join(""));
    }
    case "profile":
      return described(profileNames(await quietConfig(context)));
    case "installed": {
      const config = await quietConfig(context);
      const name = profileOverride(profile, context.env) ?? config.activeProfile;
      const installed = Object.hasOwn(config.profiles, name) ? config.profiles[name]!.installed : {};
      const candidates = Object.entries(installed).map(([value, skill]) => ({
        value,
        description: `${skill.tenantSlug}/${skill.slug} ${skill.semver}`,
      }));
      return { offer: "none", candidates };
    }
    default:
      return nothing;
  }
}

function withPrefix(completion: Completion, prefix: string): Completion {
  if (completion.offer !== "none") return completion;
  const candidates = completion.candidates.map((one) => ({ ...one, value: prefix + one.value }));
  return { offer: "none", candidates };
}

/** Other commands report and rename a damaged config. */
async function quietConfig(context: Context): Promise<Config> {
  const reading = await readConfigFile(statePaths(context.home));
  if ("config" in reading) return reading.config;
  throw new Error(reading.damaged);
}
