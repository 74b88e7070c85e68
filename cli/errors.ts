/** Errors of the client: one class with the closed codes of `contract/errors.ts`, and their messages. */
import type { CliCode, FailureKind } from "../contract/errors.ts";

export interface FailureDetails {
  kind?: FailureKind;
  ref?: string;
  /** The flag, environment variable or `<argument>` that caused the error. */
  flag?: string;
  httpStatus?: number;
  serverMessage?: string;
  [key: string]: unknown;
}

export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliCode;
  readonly details: FailureDetails | undefined;

  constructor(code: CliCode, message: string, details?: FailureDetails, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** A canceled prompt: not a failure, nothing to report. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export function invalidArgument(flag: string, message: string, details: FailureDetails = {}): CliError {
  return new CliError("E_INVALID_ARGUMENT", message, { ...details, flag });
}

/** The error for a prompt that no one can answer; `flag` is the flag to pass instead. */
export function interactionRequired(flag: string, message: string): CliError {
  return new CliError("E_INTERACTION_REQUIRED", message, { flag });
}

export function notFound(kind: FailureKind, ref: string, message: string): CliError {
  return new CliError("E_NOT_FOUND", message, { kind, ref });
}

/** Messages for system errors. */
const systemReasons: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "a file may not be that large here",
  EMFILE: "too many open files",
  ELOOP: "the links form a loop",
  ENAMETOOLONG: "the name is too long",
};

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string";
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return isSystemError(error) && codes.includes(error.code!);
}

/** The message of any thrown value, for the `warnings`, `reason` or `error` of a JSON document. */
export function messageOf(error: unknown): string {
  if (isSystemError(error)) {
    const reason = systemReasons[error.code!];
    if (reason !== undefined) return error.path === undefined ? reason : `${error.path}: ${reason}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Any error as a `CliError`; an unexpected one is `E_INTERNAL` with its own message. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError("E_INTERNAL", sentenceOf(messageOf(error)), undefined, { cause: error });
}

/** The message of a system error or a library as a sentence. */
function sentenceOf(words: string): string {
  const text = words.trim() || "unexpected failure";
  return `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** The object that `-o json` writes to stderr. */
export function presentError(error: CliError): { error: Record<string, unknown> } {
  return {
    error: {
      code: error.code,
      message: error.message,
      details: error.details,
    },
  };
}
