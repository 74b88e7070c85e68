/** Pages of the browser as the scenarios use them. */
import type { Browser, CDPSession, Page } from "playwright-core";
import type { Database } from "../../storage/database.ts";
import { newPage } from "../../test/support/browser.ts";
import type { Sizes } from "../figures/options.ts";
import type { Client } from "../http/client.ts";
import type { SeededOrganization } from "./seed.ts";

export interface Bench {
  browser: Browser;
  database: Database;
  owner: Client;
  org: SeededOrganization;
  /** The session of the owner. */
  cookie: string;
  sizes: Sizes<"web">;
}

export interface OpenPage {
  page: Page;
  devtools: CDPSession;
  close(): Promise<void>;
}

/** The cookie of a session, `name=value`. */
export async function signIn(url: string, username: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ email: `${username}@example.com`, password: "a long enough password" }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
  if (!response.ok || cookie === undefined) throw new Error(`Signing in failed with ${response.status}.`);
  return cookie;
}

/** A page with an empty cache. */
export async function openPage({ browser, owner, cookie }: Bench, isSignedIn = true): Promise<OpenPage> {
  const user = isSignedIn ? { cookie } : undefined;
  const { page, context } = await newPage(browser, owner.base, { width: 1440, user });
  const devtools = await context.newCDPSession(page);
  return { page, devtools, close: () => context.close() };
}

/** A processor of a quarter of the speed, and round trips of 40 ms. */
export async function slowDown(devtools: CDPSession): Promise<void> {
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 40,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** Records when an element first exists, in ms since the navigation: read it with `firstSeen`. */
export async function watchFor(page: Page, selector: string): Promise<void> {
  const script = `{
    const look = () => {
      if (globalThis.seenAt === undefined && document.querySelector(${JSON.stringify(selector)}))
        requestAnimationFrame(() => (globalThis.seenAt ??= performance.now()));
      else if (globalThis.seenAt === undefined) return;
      else observer.disconnect();
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true });
  }`;
  await page.addInitScript(script);
}

export async function firstSeen(page: Page): Promise<number> {
  const handle = await page.waitForSelector("html", { state: "attached" });
  for (;;) {
    const seenAt = await handle.evaluate("globalThis.seenAt");
    if (typeof seenAt === "number") return seenAt;
    await page.waitForTimeout(50);
  }
}

/** Frames a second while an element scrolls by `step` px in each of them. */
export function scrollRate(page: Page, selector: string, step: number, frames: number): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    let left = ${frames};
    const started = performance.now();
    const next = () => {
      scroller.scrollTop += ${step};
      if (--left > 0) requestAnimationFrame(next);
      else resolve((${frames} * 1000) / (performance.now() - started));
    };
    requestAnimationFrame(next);
  })`);
}
