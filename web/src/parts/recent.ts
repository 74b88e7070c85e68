/** Pages that were opened lately, for the palette. Kept for the session of the tab: a sign-out removes them. */
export interface RecentPage {
  path: string;
  title: string;
}

const storageKey = "svc-recent";
const kept = 8;

export function readRecent(): RecentPage[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "[]") as RecentPage[];
  } catch {
    return [];
  }
}

export function noteRecent(page: RecentPage): void {
  const others = readRecent().filter(({ path }) => path !== page.path);
  sessionStorage.setItem(storageKey, JSON.stringify([page, ...others].slice(0, kept)));
}
