/** Failures of the client: one class, the closed codes of `contract/errors.ts`, and how a person reads them. */
import type { CliCode, FailureKind } from "../contract/errors.ts";

export interface FailureDetails {
  kind?: FailureKind;
  ref?: string;
  /** The flag, environment variable or `<argument>` that the failure is about. */
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

/** A person ended a prompt: no failure, nothing to report. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export function invalidArgument(flag: string, message: string, details: FailureDetails = {}): CliError {
  return new CliError("E_INVALID_ARGUMENT", message, { ...details, flag });
}

/** A question was reached that nobody is there to answer; `flag` is the one that answers it. */
export function interactionRequired(flag: string, message: string): CliError {
  return new CliError("E_INTERACTION_REQUIRED", message, { flag });
}

export function notFound(kind: FailureKind, ref: string, message: string): CliError {
  return new CliError("E_NOT_FOUND", message, { kind, ref });
}

/** What a system error means in a sentence; its own message follows where it adds something. */
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

/** One sentence for any thrown value, for a payload's `warnings`, `reason` or `error`. */
export function messageOf(error: unknown): string {
  if (isSystemError(error)) {
    const reason = systemReasons[error.code!];
    if (reason !== undefined) return error.path === undefined ? reason : `${error.path}: ${reason}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Every failure as one of the closed codes; what was not foreseen is `E_INTERNAL` with its own words. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError("E_INTERNAL", sentenceOf(messageOf(error)), undefined, { cause: error });
}

/** The words of a system error or a library, as a line that a person reads on its own. */
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
      ...(error.details === undefined ? {} : { details: error.details }),
    },
  };
}
