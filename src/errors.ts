/** The one error that services throw; `http/errors.ts` renders it. */
import { failures, type FailureCode, type FailureKind } from "../contract/errors.ts";

export interface FailureDetails {
  kind?: FailureKind;
  ref?: string;
  [key: string]: unknown;
}

export class ServiceError extends Error {
  readonly code: FailureCode;
  readonly details: FailureDetails | undefined;

  constructor(code: FailureCode, message: string, details?: FailureDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServiceError";
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return failures[this.code].status;
  }
}

/** A skill that the caller may read was found by a previous slug: `from` and `to` are `org/slug`. */
export class SkillRenamed extends ServiceError {
  readonly from: string;
  readonly to: string;

  constructor(from: string, to: string) {
    super("not_found", `"${from}" was renamed: it is "${to}" now.`, {
      kind: "skill",
      ref: from,
      renamedTo: to,
    });
    this.from = from;
    this.to = to;
  }
}

/** For a resource that does not exist or that the caller may not see: the message is the same for both. */
export function notFound(kind: FailureKind, ref: string): ServiceError {
  const noun = { installedSkill: "installed skill", mcpServer: "MCP server" }[kind as string] ?? kind;
  return new ServiceError("not_found", `No ${noun} "${ref}" was found.`, { kind, ref });
}

/** For a path that leads nowhere. */
export function nothingAt(path: string): ServiceError {
  return new ServiceError("not_found", `There is nothing at ${path.slice(0, 200)}.`);
}

export function unauthenticated(
  message = "This needs a sign-in: send a session cookie or an API token.",
): ServiceError {
  return new ServiceError("unauthenticated", message);
}

export function forbidden(message: string, details?: FailureDetails): ServiceError {
  return new ServiceError("forbidden", message, details);
}

export function invalidRequest(message: string, details?: FailureDetails): ServiceError {
  return new ServiceError("invalid_request", message, details);
}
