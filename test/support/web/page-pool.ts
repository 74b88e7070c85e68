/**
 * Pages that tests use one after another, each with cookies and storage of its own. A new one, with a process of its
 * own that has not compiled the front end, takes more than twice the CPU time of a page that is loaded again.
 */
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import {
  openPage,
  preparePage,
  watchPage,
  type PageOptions,
  type Watch,
  type WatchedPage,
} from "../browser.ts";

interface PooledPage {
  page: Page;
  context: BrowserContext;
  watch: Watch;
  protocol: CDPSession;
}

/** Pages that no test uses, by their browsers. */
const free = new WeakMap<Browser, PooledPage[]>();
const pooled = new WeakMap<BrowserContext, PooledPage>();

/** Whether a context is kept for other tests. */
export const isPooled = (context: BrowserContext): boolean => pooled.has(context);

/** A page in a session of its own, until it is released. */
export async function takePage(browser: Browser, url: string, options: PageOptions): Promise<WatchedPage> {
  // A file that opens its pages itself closes all of them at its end.
  const kept = (free.get(browser) ?? []).filter(({ page }) => !page.isClosed());
  const { page, context, watch } = kept.pop() ?? (await addPage(browser));
  free.set(browser, kept);
  Object.assign(watch, { url, troubles: [], outside: [] } satisfies Watch);
  await preparePage(page, url, options);
  const { troubles, outside } = watch;
  return { page, context, troubles, outside };
}

async function addPage(browser: Browser): Promise<PooledPage> {
  const { page, context } = await openPage(browser);
  const watch: Watch = { url: "", troubles: [], outside: [] };
  watchPage(page, watch);
  const opened = { page, context, watch, protocol: await context.newCDPSession(page) };
  pooled.set(context, opened);
  return opened;
}

/** Empties the session for the next test. A page that left its service is closed: nothing else empties its storage. */
export async function releasePage(browser: Browser, context: BrowserContext): Promise<void> {
  const used = pooled.get(context);
  try {
    if (!used || used.page.isClosed() || !used.page.url().startsWith(used.watch.url))
      throw new Error("not kept");
    await empty(used);
    free.set(browser, [...(free.get(browser) ?? []), used]);
  } catch {
    pooled.delete(context);
    await context.close();
  }
}

async function empty({ page, context, watch, protocol }: PooledPage): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.clearPermissions();
  await page.evaluate("sessionStorage.clear()");
  // A page of the service keeps the page's process, which `about:blank` would end. This one runs no script.
  await page.goto(new URL("/healthz", watch.url).href);
  await context.clearCookies();
  await protocol.send("Storage.clearDataForOrigin", { origin: watch.url, storageTypes: "all" });
}
