/** What a command gets to work with. Everything outside the process comes in through here. */
import type { Writable } from "node:stream";
import type { Output } from "./output.ts";

/** The process as the client sees it; tests pass their own. */
export interface Io {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The user's home directory; nothing outside it and the chosen project is written. */
  home: string;
  platform: NodeJS.Platform;
  /** Whether stdin is a terminal. Asked only where it matters: opening stdin takes longer than all else a start does. */
  isTyped: () => boolean;
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  now: () => Date;
  sleep: (ms: number) => Promise<void>;
}

export interface Context extends Io {
  json: boolean;
  /** Somebody is there to answer: both ends are terminals, JSON is not asked for, and no pipeline runs us. */
  interactive: boolean;
  /** `--profile`. */
  profileFlag: string | undefined;
  output: Output;
}
