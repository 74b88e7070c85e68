/** Reads the flags of a command line in all forms: `--flag`, `--flag=value`, `-f value`, `-fvalue`, `-f=value`. */
import { suggest } from "../../contract/text/suggest.ts";
import { type CliError, invalidArgument } from "../errors.ts";
import type { FlagShape } from "./command-shape.ts";
import { checkValue } from "./flag-values.ts";

export interface ReadFlags {
  /** By flag. A switch, or an optional value that is absent, has an empty list. */
  values: Map<string, string[]>;
  /** Separate words taken by optional values, with their position among the positionals. */
  taken: { name: string; at: number }[];
}

/** The word after a flag, if any, and its position if it is a positional. */
interface NextWord {
  word: string | undefined;
  at: number;
}

/** A flag as it is written, with an attached value. */
interface WrittenFlag {
  name: string;
  spelled: string;
  attached: string | undefined;
}

/** The reading functions return how many further words they took, and throw `E_INVALID_ARGUMENT`. */
export function openFlagReader(flags: Readonly<Record<string, FlagShape>>) {
  const read: ReadFlags = { values: new Map(), taken: [] };
  const shorts = new Map(
    Object.entries(flags).flatMap(([name, flag]) => (flag.short === undefined ? [] : [[flag.short, name]])),
  );
  return {
    ...read,
    readLong(word: string, next: NextWord): 0 | 1 {
      const equals = word.indexOf("=");
      const name = word.slice(2, equals === -1 ? undefined : equals);
      if (!Object.hasOwn(flags, name)) throw unknownFlag(`--${name}`, flags);
      const attached = equals === -1 ? undefined : word.slice(equals + 1);
      return readFlag(read, flags[name]!, { name, spelled: `--${name}`, attached }, next);
    },
    /** `-gp dir`, `-tclaude`, `-t=claude`: switches, then at most one flag with a value. */
    readCluster(word: string, next: NextWord): 0 | 1 {
      for (let at = 1; at < word.length; at++) {
        const letter = word[at]!;
        const name = shorts.get(letter);
        if (name === undefined) throw unknownFlag(at === 1 && word.length > 2 ? word : `-${letter}`, flags);
        const spelled = `-${letter}`;
        const rest = word.slice(at + 1);
        if (flags[name]!.value === "none" && !rest.startsWith("=")) {
          store(read, flags[name]!, { name, spelled, attached: undefined });
          continue;
        }
        const attached = rest === "" ? undefined : rest.startsWith("=") ? rest.slice(1) : rest;
        return readFlag(read, flags[name]!, { name, spelled, attached }, next);
      }
      return 0;
    },
  };
}

function readFlag(read: ReadFlags, flag: FlagShape, written: WrittenFlag, next: NextWord): 0 | 1 {
  const { name, spelled, attached } = written;
  const { word } = next;
  if (flag.value === "none") {
    if (attached !== undefined) throw invalidArgument(`--${name}`, `${spelled} takes no value.`);
    store(read, flag, written);
    return 0;
  }
  const isWord = word !== undefined && (word === "-" || !word.startsWith("-"));
  if (flag.value === "required") {
    if (attached === undefined && !isWord) throw missingValue(written, word);
    store(read, flag, { ...written, attached: attached ?? word });
    return attached === undefined ? 1 : 0;
  }
  if (attached === "")
    throw invalidArgument(
      `--${name}`,
      `${spelled} has an empty value: leave out the "=" to use its default.`,
    );
  if (attached === undefined && isWord && word !== "" && (flag.accepts?.test(word) ?? true)) {
    read.taken.push({ name, at: next.at });
    store(read, flag, { ...written, attached: word });
    return 1;
  }
  store(read, flag, written);
  return 0;
}

function store({ values }: ReadFlags, flag: FlagShape, { name, spelled, attached }: WrittenFlag): void {
  const known = values.get(name);
  if (known !== undefined && flag.multiple !== true)
    throw invalidArgument(`--${name}`, `${spelled} is given twice.`);
  if (attached !== undefined) {
    checkChoice(`--${name}`, spelled, attached, flag.choices);
    checkValue(`--${name}`, spelled, attached, flag);
    if (flag.accepts?.test(attached) === false)
      throw invalidArgument(
        `--${name}`,
        `${spelled}: "${attached}" is not a valid ${flag.hint ?? "value"}. ${flag.acceptsText ?? ""}`.trim(),
      );
  }
  values.set(name, [...(known ?? []), ...(attached === undefined ? [] : [attached])]);
}

/** `argument`: the flag or argument in the error's details; `spelled`: as the message names it. */
export function checkChoice(
  argument: string,
  spelled: string,
  value: string,
  choices: readonly string[] | undefined,
): void {
  if (choices === undefined || choices.includes(value)) return;
  const listed = choices.length === 1 ? `"${choices[0]!}"` : `one of ${choices.join(", ")}`;
  throw invalidArgument(argument, `${spelled} takes ${listed}, not "${value}".${hintFor(value, choices)}`);
}

function missingValue({ name, spelled }: WrittenFlag, next: string | undefined): CliError {
  const hint = next === undefined ? "" : `; if "${next}" is meant to be it, write --${name}=${next}`;
  return invalidArgument(`--${name}`, `${spelled} needs a value${hint}.`);
}

function unknownFlag(spelled: string, flags: Readonly<Record<string, FlagShape>>): CliError {
  const known = Object.keys(flags).map((name) => `--${name}`);
  return invalidArgument(spelled, `Unknown flag ${spelled}.${hintFor(spelled, known)}`);
}

function hintFor(word: string, candidates: Iterable<string>): string {
  const meant = suggest(word, candidates);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
