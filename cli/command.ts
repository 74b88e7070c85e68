/** The shape of a command, and the arguments that it receives. */
import { type CommandShape, type FlagShape, type PositionalShape, valueSeparator } from "./command-shape.ts";
import type { Context } from "./context.ts";

type FlagValue<F extends FlagShape> = F["value"] extends "none"
  ? boolean
  : F extends { multiple: true }
    ? string[]
    : F["value"] extends "optional"
      ? string | true | undefined
      : string | undefined;

type Arguments<
  F extends Readonly<Record<string, FlagShape>>,
  P extends Readonly<Record<string, PositionalShape>>,
> = {
  -readonly [K in keyof F]: FlagValue<F[K]>;
} & {
  -readonly [K in keyof P]: P[K] extends { multiple: true }
    ? string[]
    : P[K] extends { required: true }
      ? string
      : string | undefined;
};

/** The result of a command: data for programs, and a text for people. */
export interface CommandResult {
  /** The JSON document; undefined if the command has written its lines itself. */
  data: unknown;
  text: string;
  /** Something failed, as described in `data`: exit code 1. */
  partial?: boolean;
}

export interface Command extends CommandShape {
  name: string;
  summary: string;
  examples: readonly string[];
  /** Runs with the arguments from `normaliseArguments`. */
  execute: (context: Context, words: string[]) => Promise<CommandResult>;
}

/** Derives the types that `run` receives from the command's flags. */
export function defineCommand<
  const F extends Readonly<Record<string, FlagShape>>,
  const P extends Readonly<Record<string, PositionalShape>>,
>(definition: {
  name: string;
  summary: string;
  positionals: P;
  flags: F;
  exclusive?: readonly (readonly (keyof F & string)[])[];
  examples: readonly string[];
  run: (context: Context, args: Arguments<F, P>) => Promise<CommandResult>;
}): Command {
  const { run, ...shape } = definition;
  return {
    ...shape,
    execute: (context, words) => run(context, decode(shape, words) as Arguments<F, P>),
  };
}

/** The arguments of a line in the form of `normaliseArguments`. */
function decode({ flags, positionals }: CommandShape, words: readonly string[]): Record<string, unknown> {
  const end = words.indexOf("--");
  const given = new Map(
    (end === -1 ? words : words.slice(0, end)).map((word) => {
      const equals = word.indexOf("=");
      return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
    }),
  );
  const rest = end === -1 ? [] : words.slice(end + 1);

  const decoded: Record<string, unknown> = {};
  Object.entries<PositionalShape>(positionals).forEach(([name, { multiple }], at) => {
    decoded[name] = multiple === true ? rest.slice(at) : rest[at];
  });
  for (const [name, flag] of Object.entries<FlagShape>(flags)) {
    const value = given.get(`--${name}`);
    const isGiven = given.has(`--${name}`);
    if (flag.value === "none") decoded[name] = isGiven;
    else if (flag.multiple === true) decoded[name] = isGiven ? (value ?? "").split(valueSeparator) : [];
    // An optional value that is absent has no "=" or nothing after it.
    else decoded[name] = flag.value === "optional" && isGiven && (value ?? "") === "" ? true : value;
  }
  return decoded;
}
