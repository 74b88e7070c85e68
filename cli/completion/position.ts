/** The position of the cursor in a command line: what precedes it. */
import { type CommandShape, type FlagShape, globalFlags } from "../arguments/command-shape.ts";

export interface Position {
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
export function positionOf(before: readonly string[], shape: CommandShape): Position {
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
