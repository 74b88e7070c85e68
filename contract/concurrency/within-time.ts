/**
 * Result of the work, or of `late` if the work takes longer than `ms`. `late` returns another result or throws. Late
 * work continues, and its outcome is ignored. With `ref: false` the time limit does not keep the process running.
 */
export async function withinTime<T, L>(
  work: Promise<T>,
  ms: number,
  late: () => L,
  { ref = true } = {},
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    // A browser's timers are numbers.
    if (!ref) (Object(timer) as { unref?(): void }).unref?.();
  });
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
