/**
 * The one pass over the command line before citty sees it. citty has no optional values, keeps the last of
 * repeated flags, takes unknown flags silently, reads `-s=x` as `=x` and lets a child's `-mhello` reach the root's
 * `-o`. So this pass reads every token by the command's own shape and writes the one form that citty reads right:
 * `--flag`, `--flag=value`, then `--` and the positionals.
 */
import type { CliError } from "./errors.ts";
import { invalidArgument } from "./errors.ts";
import { suggest } from "./suggest.ts";

/** Completions of a value: paths, or entries of the local state. */
export type Completes = "path" | "folder" | "installed" | "profile" | "target";

export interface FlagShape {
  /** One letter. */
  short?: string;
  /** `none`: a switch. `optional`: `--flag` alone, or with a value. */
  value: "none" | "required" | "optional";
  description: string;
  /** How help names the value. */
  hint?: string;
  /** May be repeated; all values are kept. */
  multiple?: true;
  choices?: readonly string[];
  /** Which separate words an optional value may take; others stay positionals. */
  accepts?: RegExp;
  completes?: Completes;
}

export interface PositionalShape {
  required?: true;
  description: string;
  choices?: readonly string[];
  completes?: Completes;
}

export interface CommandShape {
  flags: Readonly<Record<string, FlagShape>>;
  positionals: Readonly<Record<string, PositionalShape>>;
  /** Sets of flags of which at most one may be given. */
  exclusive?: readonly (readonly string[])[];
}

/** Flags of every command, before or after its name. */
export const globalFlags = {
  output: {
    short: "o",
    value: "required",
    choices: ["json"],
    hint: "json",
    description: "Print JSON",
  },
  profile: {
    value: "required",
    hint: "name",
    description: "Use another profile for this command",
    completes: "profile",
  },
  help: { short: "h", value: "none", description: "Show this help" },
} as const satisfies Record<string, FlagShape>;

/** Separates the values of a repeatable flag. The operating system cannot pass it inside an argument. */
export const valueSeparator = "\0";

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
  const flags: Readonly<Record<string, FlagShape>> = { ...globalFlags, ...shape.flags };
  const shorts = new Map(
    Object.entries(flags).flatMap(([name, flag]) => (flag.short === undefined ? [] : [[flag.short, name]])),
  );
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  /** Separate words taken by optional values, with their position among the positionals. */
  const taken: { name: string; at: number }[] = [];

  const nul = argv.find((word) => word.includes(valueSeparator));
  if (nul !== undefined) throw invalidArgument("", "An argument contains a NUL character.");

  const store = (name: string, spelled: string, value: string | undefined): void => {
    const flag = flags[name]!;
    const known = values.get(name);
    if (known !== undefined && flag.multiple !== true)
      throw invalidArgument(`--${name}`, `${spelled} is given twice.`);
    if (value !== undefined && flag.choices !== undefined && !flag.choices.includes(value))
      throw invalidArgument(
        `--${name}`,
        `${spelled} takes ${listed(flag.choices)}, not "${value}".${hintFor(value, flag.choices)}`,
      );
    values.set(name, [...(known ?? []), ...(value === undefined ? [] : [value])]);
  };

  /** Reads one flag whose value may be attached; returns how many further words it took. */
  const read = (
    name: string,
    spelled: string,
    attached: string | undefined,
    next: string | undefined,
  ): 0 | 1 => {
    const flag = flags[name]!;
    if (flag.value === "none") {
      if (attached !== undefined) throw invalidArgument(`--${name}`, `${spelled} takes no value.`);
      store(name, spelled, undefined);
      return 0;
    }
    const isWord = next !== undefined && (next === "-" || !next.startsWith("-"));
    if (flag.value === "required") {
      if (attached === undefined && !isWord)
        throw invalidArgument(
          `--${name}`,
          next === undefined
            ? `${spelled} needs a value.`
            : `${spelled} needs a value; if "${next}" is meant to be it, write --${name}=${next}.`,
        );
      store(name, spelled, attached ?? next!);
      return attached === undefined ? 1 : 0;
    }
    if (attached === "")
      throw invalidArgument(
        `--${name}`,
        `${spelled} has an empty value: leave out the "=" to use its default.`,
      );
    if (attached === undefined && isWord && next !== "" && (flag.accepts?.test(next) ?? true)) {
      taken.push({ name, at: positionals.length });
      store(name, spelled, next);
      return 1;
    }
    store(name, spelled, attached);
    return 0;
  };

  const unknown = (spelled: string): CliError => {
    const known = Object.keys(flags).map((name) => `--${name}`);
    return invalidArgument(spelled, `Unknown flag ${spelled}.${hintFor(spelled, known)}`);
  };

  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--") {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    if (word.startsWith("--")) {
      const equals = word.indexOf("=");
      const name = word.slice(2, equals === -1 ? undefined : equals);
      if (!Object.hasOwn(flags, name)) throw unknown(`--${name}`);
      i += read(name, `--${name}`, equals === -1 ? undefined : word.slice(equals + 1), argv[i + 1]);
    } else if (word.startsWith("-") && word.length > 1) {
      i += readCluster(word, argv[i + 1]);
    } else {
      positionals.push(word);
    }
  }

  /** `-gp dir`, `-tclaude`, `-t=claude`: switches, then at most one flag with a value. */
  function readCluster(word: string, next: string | undefined): 0 | 1 {
    for (let at = 1; at < word.length; at++) {
      const letter = word[at]!;
      const name = shorts.get(letter);
      if (name === undefined) throw unknown(at === 1 && word.length > 2 ? word : `-${letter}`);
      const rest = word.slice(at + 1);
      if (flags[name]!.value === "none" && !rest.startsWith("=")) {
        read(name, `-${letter}`, undefined, undefined);
        continue;
      }
      const attached = rest === "" ? undefined : rest.startsWith("=") ? rest.slice(1) : rest;
      return read(name, `-${letter}`, attached, next);
    }
    return 0;
  }

  const names = Object.keys(shape.positionals);
  const required = names.filter((name) => shape.positionals[name]!.required === true).length;
  // `push --prerelease ./folder`: the word is the required argument.
  while (positionals.length < required && taken.length > 0) {
    const { name, at } = taken.pop()!;
    positionals.splice(at, 0, values.get(name)!.pop()!);
  }
  // A request for help never fails for a missing argument.
  if (values.has("help")) return canonical(values, flags, []);

  if (positionals.length < required)
    throw invalidArgument(
      `<${names[positionals.length]!}>`,
      `Missing argument <${names[positionals.length]!}>.`,
    );
  if (positionals.length > names.length) {
    const extra = positionals[names.length]!;
    throw invalidArgument(`<${extra}>`, `Unexpected argument "${extra}".`);
  }
  positionals.forEach((value, i) => {
    const name = names[i]!;
    const { choices } = shape.positionals[name]!;
    if (value === "") throw invalidArgument(`<${name}>`, `Argument <${name}> is empty.`);
    if (choices !== undefined && !choices.includes(value))
      throw invalidArgument(
        `<${name}>`,
        `<${name}> takes ${listed(choices)}, not "${value}".${hintFor(value, choices)}`,
      );
  });
  for (const group of shape.exclusive ?? []) {
    const given = group.filter((name) => values.has(name));
    if (given.length > 1)
      throw invalidArgument(`--${given[1]!}`, `--${given[0]!} and --${given[1]!} exclude each other.`);
  }
  return canonical(values, flags, positionals);
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

function hintFor(word: string, candidates: Iterable<string>): string {
  const meant = suggest(word, candidates);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

function listed(choices: readonly string[]): string {
  return choices.length === 1 ? `"${choices[0]!}"` : `one of ${choices.join(", ")}`;
}
