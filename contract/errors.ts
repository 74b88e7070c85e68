/**
 * The closed failure table. Every surface reads it and none adds to it: a code decides the HTTP status of an
 * answer and the `E_` code that `svc -o json` reports for it.
 */
export const failures = {
  invalid_request: { status: 400, cli: "E_API" },
  unauthenticated: { status: 401, cli: "E_NOT_AUTHENTICATED" },
  invalid_credentials: { status: 401, cli: "E_NOT_AUTHENTICATED" },
  forbidden: { status: 403, cli: "E_FORBIDDEN" },
  quota_exceeded: { status: 403, cli: "E_API" },
  oidc_rejected: { status: 403, cli: "E_FORBIDDEN" },
  sso_required: { status: 403, cli: "E_FORBIDDEN" },
  sso_failed: { status: 403, cli: "E_NOT_AUTHENTICATED" },
  mfa_required: { status: 403, cli: "E_FORBIDDEN" },
  reauthentication_required: { status: 403, cli: "E_FORBIDDEN" },
  not_found: { status: 404, cli: "E_NOT_FOUND" },
  method_not_allowed: { status: 405, cli: "E_API" },
  already_exists: { status: 409, cli: "E_ALREADY_EXISTS" },
  ambiguous: { status: 409, cli: "E_AMBIGUOUS" },
  conflict: { status: 409, cli: "E_ALREADY_EXISTS" },
  payload_too_large: { status: 413, cli: "E_API" },
  unsupported_media_type: { status: 415, cli: "E_API" },
  content_invalid: { status: 422, cli: "E_API" },
  package_invalid: { status: 422, cli: "E_PACK_FAILED" },
  upload_mismatch: { status: 422, cli: "E_UPLOAD_FAILED" },
  too_costly: { status: 422, cli: "E_API" },
  version_not_greater: { status: 422, cli: "E_API" },
  limit_reached: { status: 422, cli: "E_API" },
  folder_not_empty: { status: 422, cli: "E_API" },
  managed_folder: { status: 422, cli: "E_API" },
  last_owner: { status: 422, cli: "E_API" },
  domain_unverified: { status: 422, cli: "E_API" },
  refused: { status: 422, cli: "E_API" },
  rate_limited: { status: 429, cli: "E_API" },
  internal: { status: 500, cli: "E_API" },
  git_missing: { status: 501, cli: "E_API" },
  unavailable: { status: 503, cli: "E_API" },
} as const satisfies Record<string, { status: number; cli: CliCode }>;

export type FailureCode = keyof typeof failures;

/** The closed set of codes that the client reports. */
export const cliCodes = [
  "E_NOT_AUTHENTICATED",
  "E_INTERACTION_REQUIRED",
  "E_INVALID_ARGUMENT",
  "E_NOT_FOUND",
  "E_ALREADY_EXISTS",
  "E_AMBIGUOUS",
  "E_FORBIDDEN",
  "E_API",
  "E_NETWORK",
  "E_PACK_FAILED",
  "E_UPLOAD_FAILED",
  "E_AUTH_DENIED",
  "E_AUTH_EXPIRED",
  "E_NO_TARGETS",
  "E_VERSION_CHANGED",
  "E_INTERNAL",
] as const;

export type CliCode = (typeof cliCodes)[number];

/** Subject of a failure: `details.kind`, on the wire and in the client. */
export const failureKinds = [
  "skill",
  "collection",
  "installedSkill",
  "folder",
  "path",
  "profile",
  "mcpServer",
  "connector",
  "content",
  "organization",
  "team",
  "member",
  "invitation",
  "role",
  "token",
  "grant",
  "policy",
  "domain",
  "provider",
  "session",
  "factor",
  "workspace",
  "repository",
  "queue",
  "job",
  "report",
  "webhook",
  "delivery",
] as const;

export type FailureKind = (typeof failureKinds)[number];

/** The error answer of every REST endpoint under `/api`. */
export interface FailureBody {
  success: false;
  error: string;
  code: FailureCode;
  details?: Record<string, unknown>;
  requestId: string;
}
