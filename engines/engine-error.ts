// Errors of the embedded engines, and the log that they write to.

/** The part of a structured logger that the engines use; a pino logger fits as it is. */
export interface EngineLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const SENTENCES = {
  BUSY: (dir, engine) =>
    `Another program holds the data folder ${dir} of the ${engine}, and it does not answer.`,
  NOT_WRITABLE: (dir) => `The data folder ${dir} is not writable by this user.`,
  DISK_FULL: (dir) => `No space left on the disk that holds ${dir}.`,
  NO_BINARY: (_dir, engine) => `The ${engine} could not be loaded. Run npm ci to install it again.`,
  DAMAGED: (dir, engine) =>
    `The ${engine} refuses the data folder ${dir}: its files look damaged. ` +
    `Restore a backup, or move the folder elsewhere to start empty.`,
  ILLEGAL: (_dir, engine) => `The ${engine} uses instructions this processor lacks (AVX).`,
  TIMEOUT: (dir, engine) => `The ${engine} did not open ${dir} in time.`,
  OPEN_FAILED: (dir, engine) => `The ${engine} could not open ${dir}.`,
  UNSUPPORTED: (_dir, engine) => `The ${engine} cannot run here.`,
  GAVE_UP: (dir, engine) => `The ${engine} keeps ending right after its start on ${dir}.`,
  STOPPED: (dir, engine) => `The ${engine} on ${dir} was stopped before it was ready.`,
} satisfies Record<string, (dataDir: string, engine: string) => string>;

export type EngineErrorCode = keyof typeof SENTENCES;

export function isEngineErrorCode(code: unknown): code is EngineErrorCode {
  return typeof code === "string" && Object.hasOwn(SENTENCES, code);
}

/** An engine, its data folder, and what its user can do instead. */
export interface EngineSubject {
  name: string;
  dataDir: string;
  advice: string;
}

/** An engine that can't start or has ended permanently. The message names the folder, the problem and the remedy. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, subject: EngineSubject, detail?: string, cause?: unknown) {
    const sentence = SENTENCES[code](subject.dataDir, subject.name);
    super([sentence, subject.advice, detail && `(${detail})`].filter(Boolean).join(" "), { cause });
    this.name = "EngineError";
    this.code = code;
  }
}
