/** The flags and arguments of a command, from which parsing, help and completion are derived. */
import type { ValueShape } from "./flag-values.ts";

/** Completions of a value: paths, closed lists, or entries of the local state. */
export type Completes =
  | "path"
  | "folder"
  | "installed"
  | "profile"
  | "target"
  | "mcpTarget"
  | "mcpServer"
  | "event";

export interface FlagShape extends ValueShape {
  /** One letter. */
  short?: string;
  /** `none`: a switch. `optional`: `--flag` alone, or with a value. */
  value: "none" | "required" | "optional";
  description: string;
  /** Name of the value in help. */
  hint?: string;
  /** May be repeated; all values are kept. */
  multiple?: true;
  choices?: readonly string[];
  /** Form of an optional value; other separate words stay positionals. */
  accepts?: RegExp;
  /** The accepted values, as a sentence. */
  acceptsText?: string;
  completes?: Completes;
}

export interface PositionalShape extends ValueShape {
  required?: true;
  /** Takes all further words, of the last argument of a command. */
  multiple?: true;
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
    max: 32,
    description: "Use another profile for this command",
    completes: "profile",
  },
  help: { short: "h", value: "none", description: "Show this help" },
} as const satisfies Record<string, FlagShape>;

/** Separates the values of a repeatable flag. The operating system cannot pass it inside an argument. */
export const valueSeparator = "\0";
