/**
 * The one pass over the command line before citty sees it. citty has no optional values, keeps the last of
 * repeated flags, takes unknown flags silently, reads `-s=x` as `=x` and lets a child's `-mhello` reach the root's
 * `-o`. So this pass reads every token by the command's own shape and writes the one form that citty reads right:
 * `--flag`, `--flag=value`, then `--` and the positionals.
 */
import { invalidArgument } from "../errors.ts";
import {
  type CommandShape,
  type FlagShape,
  type PositionalShape,
  globalFlags,
  valueSeparator,
} from "./command-shape.ts";
import { type ReadFlags, checkChoice, openFlagReader } from "./flag-reader.ts";
import { checkValue } from "./flag-values.ts";

/**
 * Whether the command line asks for JSON, read leniently: needed to report the errors of the strict pass. A
 * separate word after a flag is never a dash word there, so `-o json` is always what it looks like.
 */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  return words.some(
    (word, i) =>
      /^(?:-o=?|--output=)json$/.test(word) ||
      ((word === "-o" || word === "--output") && words[i + 1] === "json"),
  );
}

/**
 * The command's name and all other words, in order. Only global and `known` flags can precede the name,
 * so their values are the only words to skip.
 */
export function locateCommand(
  argv: readonly string[],
  known: Readonly<Record<string, FlagShape>> = {},
): { name: string | undefined; rest: string[] } {
  const valued = new Set(
    Object.entries<FlagShape>({ ...globalFlags, ...known })
      .filter(([, flag]) => flag.value === "required")
      .flatMap(([name, { short }]) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
  );
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--") break;
    if (valued.has(word)) i++;
    else if (!word.startsWith("-")) return { name: word, rest: [...argv.slice(0, i), ...argv.slice(i + 1)] };
  }
  return { name: undefined, rest: [...argv] };
}

/** Throws `E_INVALID_ARGUMENT` with `details.flag`; otherwise returns the arguments for citty. */
export function normaliseArguments(argv: readonly string[], shape: CommandShape): string[] {
  if (argv.some((word) => word.includes(valueSeparator)))
    throw invalidArgument("", "An argument contains a NUL character.");
  const flags: Readonly<Record<string, FlagShape>> = { ...globalFlags, ...shape.flags };
  const { read, positionals } = readWords(argv, flags);
  const required = Object.values(shape.positionals).filter((each) => each.required === true).length;
  returnTakenWords(read, positionals, required);
  // A request for help never fails for a missing argument.
  if (read.values.has("help")) return canonical(read.values, flags, []);

  const named = Object.entries(shape.positionals);
  checkCount(positionals, named, required);
  named.forEach(([name, positional], i) => {
    const given = positional.multiple === true ? positionals.slice(i) : [positionals[i]];
    for (const value of given) checkPositional(name, positional, value);
  });
  for (const group of shape.exclusive ?? []) {
    const given = group.filter((name) => read.values.has(name));
    if (given.length > 1)
      throw invalidArgument(`--${given[1]!}`, `--${given[0]!} and --${given[1]!} exclude each other.`);
  }
  return canonical(read.values, flags, positionals);
}

function readWords(
  argv: readonly string[],
  flags: Readonly<Record<string, FlagShape>>,
): { read: ReadFlags; positionals: string[] } {
  const reader = openFlagReader(flags);
  const positionals: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--") {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    const next = { word: argv[i + 1], at: positionals.length };
    if (word.startsWith("--")) i += reader.readLong(word, next);
    else if (word.startsWith("-") && word.length > 1) i += reader.readCluster(word, next);
    else positionals.push(word);
  }
  return { read: reader, positionals };
}

/** `push --prerelease ./folder`: the word is the required argument, not the optional value. */
function returnTakenWords({ values, taken }: ReadFlags, positionals: string[], required: number): void {
  while (positionals.length < required && taken.length > 0) {
    const { name, at } = taken.pop()!;
    positionals.splice(at, 0, values.get(name)!.pop()!);
  }
}

function checkCount(
  positionals: readonly string[],
  named: readonly (readonly [name: string, shape: PositionalShape])[],
  required: number,
): void {
  if (positionals.length < required) {
    const missing = `<${named[positionals.length]![0]}>`;
    throw invalidArgument(missing, `Missing argument ${missing}.`);
  }
  const extra = positionals[named.length];
  if (extra !== undefined && named.at(-1)?.[1].multiple !== true)
    throw invalidArgument(`<${extra}>`, `Unexpected argument "${extra}".`);
}

function checkPositional(name: string, shape: PositionalShape, value: string | undefined): void {
  if (value === undefined) return;
  if (value === "") throw invalidArgument(`<${name}>`, `Argument <${name}> is empty.`);
  checkChoice(`<${name}>`, `<${name}>`, value, shape.choices);
  // A path may be any text.
  if (shape.form !== undefined || shape.max !== undefined) checkValue(`<${name}>`, `<${name}>`, value, shape);
}

function canonical(
  values: ReadonlyMap<string, string[]>,
  flags: Readonly<Record<string, FlagShape>>,
  positionals: readonly string[],
): string[] {
  const words = [...values].map(([name, given]) =>
    flags[name]!.value === "none" ? `--${name}` : `--${name}=${given.join(valueSeparator)}`,
  );
  return positionals.length === 0 ? words : [...words, "--", ...positionals];
}
