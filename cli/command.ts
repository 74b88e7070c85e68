/** The shape of a command, and its conversion to citty's. */
import { type ArgsDef, type CommandDef, runCommand } from "citty";
import {
  type CommandShape,
  type FlagShape,
  type PositionalShape,
  globalFlags,
  valueSeparator,
} from "./arguments/command-shape.ts";
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
  examples: readonly string[];
  /** Runs with the arguments from `normaliseArguments`. */
  execute: (context: Context, words: string[]) => Promise<CommandResult>;
}

/** Derives the types that `run` receives from the command's flags. */
export function defineCommand<
  const F extends Readonly<Record<string, FlagShape>>,
  const P extends Readonly<Record<string, PositionalShape>>,
>(definition: {
  positionals: P;
  flags: F;
  exclusive?: readonly (readonly (keyof F & string)[])[];
  examples: readonly string[];
  run: (context: Context, args: Arguments<F, P>) => Promise<CommandResult>;
}): Command {
  const { run, ...shape } = definition;
  return {
    ...shape,
    async execute(context, words) {
      const command: CommandDef = {
        args: toCitty(shape),
        run: ({ args }) => run(context, decode(shape, args) as Arguments<F, P>),
      };
      const { result } = await runCommand(command, { rawArgs: words });
      return result as CommandResult;
    },
  };
}

/** The command as citty's definition, used for parsing only: `help.ts` generates help. */
function toCitty(command: CommandShape): ArgsDef {
  const args: ArgsDef = {};
  for (const [name, positional] of Object.entries(command.positionals))
    args[name] = { type: "positional", required: positional.required === true };
  for (const [name, flag] of Object.entries<FlagShape>({ ...command.flags, ...globalFlags }))
    args[name] = {
      type: flag.value === "none" ? "boolean" : "string",
      alias: flag.short,
    };
  return args;
}

function decode(shape: CommandShape, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  const words = args["_"] as string[];
  Object.entries<PositionalShape>(shape.positionals).forEach(([name, { multiple }], at) => {
    decoded[name] = multiple === true ? words.slice(at) : args[name];
  });
  for (const [name, flag] of Object.entries(shape.flags)) {
    const value = args[name] as string | boolean | undefined;
    // citty reads `--no-save` as "not --save".
    if (flag.value === "none")
      decoded[name] = value === true || (name.startsWith("no-") && args[name.slice("no-".length)] === false);
    else if (flag.multiple === true)
      decoded[name] = typeof value === "string" ? value.split(valueSeparator) : [];
    else decoded[name] = flag.value === "optional" && value === "" ? true : value;
  }
  return decoded;
}
