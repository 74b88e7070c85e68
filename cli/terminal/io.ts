import type { Writable } from "node:stream";

/** The process as seen by the client; tests pass their own. */
export interface Io {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The user's home directory. Only it and the selected project are written to. */
  home: string;
  platform: NodeJS.Platform;
  /** Whether stdin is a terminal. A function, since opening stdin takes longer than the rest of a start. */
  isTyped: () => boolean;
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  now: () => Date;
  sleep: (ms: number) => Promise<void>;
}
