/**
 * Keeps the result of the first successful call for all later ones. Concurrent callers share a call. After a failure,
 * the next caller starts another.
 */
export function keepSuccess<T>(call: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept) return kept;
    const calling = call();
    kept = calling;
    calling.catch(() => (kept = undefined));
    return calling;
  };
}
