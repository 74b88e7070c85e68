/** Errors in the form of SCIM (RFC 7644, section 3.12). */
import type { ServiceError } from "../errors.ts";

export const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error";

export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    detail: string,
    options: { scimType?: ScimType; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ScimError";
    this.status = status;
    this.scimType = options.scimType;
    this.headers = options.headers ?? {};
  }
}

/** An error of the caller's input. */
export function badInput(scimType: Exclude<ScimType, "uniqueness">, detail: string): ScimError {
  return new ScimError(400, detail, { scimType });
}

export function uniqueness(detail: string): ScimError {
  return new ScimError(409, detail, { scimType: "uniqueness" });
}

/** The same text for a resource that does not exist and one of another organization. */
export function unknownResource(type: "User" | "Group", id: string): ScimError {
  return new ScimError(404, `${type} "${id.slice(0, 100)}" was not found.`);
}

/** An error of a service as one of SCIM. Statuses that SCIM does not define become 400. */
export function fromServiceError(error: ServiceError): ScimError {
  const status = error.status === 422 ? 400 : error.status;
  const seconds = error.code === "rate_limited" ? Number(error.details?.["retryAfterSeconds"] ?? 1) : 1;
  const headers: Record<string, string> =
    status === 429 || status === 503 ? { "retry-after": String(seconds) } : {};
  return new ScimError(status, error.message, { headers, cause: error });
}

export function presentError({ status, scimType, message }: ScimError) {
  return {
    schemas: [errorSchema],
    status: String(status),
    scimType,
    detail: message,
  };
}

export function unknownDescription(id: string): ScimError {
  return new ScimError(404, `There is nothing with the id "${id.slice(0, 200)}".`);
}
