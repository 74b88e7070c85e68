/**
 * Failures of `repos/`. The list is closed. Each code has a flag whether the same call may succeed later, by which a
 * worker retries, and the service distinguishes a temporary failure from a permanent one.
 */
export const repoFailures = {
  /** An id that may not become a path. */
  invalid_id: { retryable: false },
  /** A draft, a ref name or a source that can't become a commit. */
  invalid_draft: { retryable: false },
  repository_missing: { retryable: false },
  object_missing: { retryable: false },
  /** Bytes on disk do not match their name. */
  object_corrupt: { retryable: false },
  /** The SHA-256 of a version's content is not the one that was recorded for it. */
  digest_mismatch: { retryable: false },
  /** A pack was replaced while it was read, and its successor did not appear in time. */
  pack_vanished: { retryable: true },
  storage_full: { retryable: true },
  /** Out of file handles or memory, a worker that died, an I/O error of the disk. */
  storage_unavailable: { retryable: true },
  store_closed: { retryable: true },
  /** The git program that serving clones requires is not installed. */
  git_missing: { retryable: false },
  /** Too many clients: none of the git processes became free in time. */
  server_busy: { retryable: true },
  /** A mirror is incomplete: dropping it and fetching again repairs it. The cause has the details. */
  mirror_damaged: { retryable: true },
  /** An address or branch that may not be requested. */
  invalid_remote: { retryable: false },
  /** The connection of the request has ended, or another process has taken it over. */
  connection_ended: { retryable: false },
  /** A repository in the SHA-256 object format. */
  sha256_repository: { retryable: false },
  /** The host rejects the credentials, or they do not allow the request. */
  auth_failed: { retryable: false },
  /** The repository does not exist, or these credentials have no access to it. */
  remote_missing: { retryable: false },
  /** The address is that of this machine or in a private network. */
  remote_forbidden: { retryable: false },
  /** No connection, cut off, or silent for too long. */
  remote_unreachable: { retryable: true },
  /** The host failed (5xx). */
  remote_failed: { retryable: true },
  /** Too many requests; `retryAfterMs` if the host sends the time to wait. */
  rate_limited: { retryable: true },
  /** More bytes than are allowed. */
  remote_too_large: { retryable: false },
  /** A response that is not Git's: a sign-in page, a proxy's error, or inconsistent bytes. */
  remote_protocol: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>;

export type RepoFailure = keyof typeof repoFailures;

export class RepoError extends Error {
  override readonly name = "RepoError";
  readonly code: RepoFailure;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: RepoFailure, message: string, options?: { cause?: unknown; retryAfterMs?: number }) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
    this.retryable = repoFailures[code].retryable;
  }
}

/** Puts a file system error into the closed list; errors already in it, and bugs, pass through. */
export function asRepoError(error: unknown, doing: string): unknown {
  if (error instanceof RepoError || !(error instanceof Error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined || (error as NodeJS.ErrnoException).errno === undefined) return error;
  const failure: RepoFailure =
    code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" ? "storage_full" : "storage_unavailable";
  return new RepoError(failure, `${doing}: ${code}`, { cause: error });
}
