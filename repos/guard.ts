/** Permission to send requests to a remote host, checked before each request. */
export interface HostGuard {
  /** Throws if no request may be sent any more. */
  check(): Promise<void>;
  /** Aborted at that moment, which cancels requests in progress. */
  signal: AbortSignal;
}

/** One signal for all that are given. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
