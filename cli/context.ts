/** The environment of a command: all access to anything outside the process. */
import type { Io } from "./terminal/io.ts";
import type { Output } from "./terminal/output.ts";

export interface Context extends Io {
  json: boolean;
  /** A person can answer questions: stdin and stdout are terminals, the output is not JSON, and `CI` is not set. */
  interactive: boolean;
  /** `--profile`. */
  profileFlag: string | undefined;
  output: Output;
}
