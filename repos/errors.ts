/**
 * Failures of the Git house. The list is closed; each code says whether the same call may succeed later, so that
 * a worker knows to retry and a service knows to answer "try again" rather than "broken".
 */
export const repoFailures = {
  /** An id that may not become a path. */
  invalid_id: { retryable: false },
  /** A draft, a ref name or a source that can't become a commit. */
  invalid_draft: { retryable: false },
  repository_missing: { retryable: false },
  object_missing: { retryable: false },
  /** Bytes on disk are not what their name promises. */
  object_corrupt: { retryable: false },
  /** The SHA-256 of a version's content is not the one that was recorded for it. */
  digest_mismatch: { retryable: false },
  /** A pack was replaced while it was read and its successor did not turn up in time. */
  pack_vanished: { retryable: true },
  storage_full: { retryable: true },
  /** Out of file handles or memory, a worker that died, an I/O error of the disk. */
  storage_unavailable: { retryable: true },
  store_closed: { retryable: true },
  /** The git program that serving clones requires is not installed. */
  git_missing: { retryable: false },
  /** Too many clients: none of the git processes became free in time. */
  server_busy: { retryable: true },
  /** A mirror lacks what it should hold: dropped and fetched again it is whole. The cause says what was found. */
  mirror_damaged: { retryable: true },
  /** An address or branch that may not be asked for. */
  invalid_remote: { retryable: false },
  /** The connection of the request has ended, or another process has taken it over. */
  connection_ended: { retryable: false },
  /** A repository in the SHA-256 object format. */
  sha256_repository: { retryable: false },
  /** The host does not take the credentials, or they do not reach so far. */
  auth_failed: { retryable: false },
  /** The repository does not exist, or these credentials have no access to it. */
  remote_missing: { retryable: false },
  /** The address leads into this machine or a private network. */
  remote_forbidden: { retryable: false },
  /** No connection, cut off, or silent for too long. */
  remote_unreachable: { retryable: true },
  /** The host failed (5xx). */
  remote_failed: { retryable: true },
  /** Too many requests; `retryAfterMs` where the host says how long to wait. */
  rate_limited: { retryable: true },
  /** More bytes than are allowed. */
  remote_too_large: { retryable: false },
  /** An answer that is not Git's: a sign-in page, a proxy's, or bytes that do not add up. */
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
