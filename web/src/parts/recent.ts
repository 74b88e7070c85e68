/** Pages that were opened lately. Kept for the session of the tab: a sign-out removes them. */
export interface RecentPage {
  path: string;
  title: string;
}

const storageKey = "svc-recent";
const kept = 20;
const listeners = new Set<() => void>();

export const readRecentText = (): string => sessionStorage.getItem(storageKey) ?? "[]";

export function readRecent(): RecentPage[] {
  try {
    return JSON.parse(readRecentText()) as RecentPage[];
  } catch {
    return [];
  }
}

export function noteRecent(page: RecentPage): void {
  const others = readRecent().filter(({ path }) => path !== page.path);
  sessionStorage.setItem(storageKey, JSON.stringify([page, ...others].slice(0, kept)));
  for (const listener of listeners) listener();
}

/** Calls the listener when a page is opened. Returns a function that unsubscribes. */
export function onRecentChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
