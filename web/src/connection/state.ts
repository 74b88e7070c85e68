/**
 * Whether the service can be reached, and whether it serves another release of the dashboard than the one that is open.
 * Query pauses its requests while the service can't be reached, and continues them afterwards.
 */
import { onlineManager } from "@tanstack/react-query";

/** Time between two looks for a service that can't be reached; doubled up to `longestMs`. */
const [firstMs, longestMs] = [1000, 15_000];
const probeMs = 10_000;

let isOutdated = false;
const listeners = new Set<() => void>();

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const stop = onlineManager.subscribe(listener);
  return () => {
    listeners.delete(listener);
    stop();
  };
}

export type ConnectionState = "online" | "offline" | "outdated";

export const readState = (): ConnectionState =>
  !onlineManager.isOnline() ? "offline" : isOutdated ? "outdated" : "online";

export function noteOutdated(): void {
  isOutdated = true;
  for (const listener of listeners) listener();
}

let looking: Promise<void> | undefined;

/**
 * Called after a request that got no response. Resolves once the service responds, at once if it does so now. Until
 * then the state is `offline`.
 */
export function untilReachable(): Promise<void> {
  looking ??= look().finally(() => (looking = undefined));
  return looking;
}

async function look(): Promise<void> {
  for (let waitMs = firstMs; !(await isReachable()); waitMs = Math.min(waitMs * 2, longestMs)) {
    onlineManager.setOnline(false);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      addEventListener("online", () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
  if (onlineManager.isOnline()) return;
  onlineManager.setOnline(true);
  // A service that was gone for a while may have been upgraded.
  if (await isOtherRelease().catch(() => false)) noteOutdated();
}

async function isReachable(): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    return (await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(probeMs) })).ok;
  } catch {
    return false;
  }
}

/** Whether the service serves pages with another script than this one, as after an upgrade. */
export async function isOtherRelease(): Promise<boolean> {
  const script = document.querySelector("script[type=module][src]")?.getAttribute("src");
  const response = await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(probeMs) });
  const page = await response.text();
  return response.ok && script !== null && script !== undefined && !page.includes(script);
}
