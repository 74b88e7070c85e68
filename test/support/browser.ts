/** Debian's chromium, driven by playwright-core; every page is monitored for errors and refused content. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";
import { root } from "./root.ts";
import { drawn } from "./web/drawn.ts";

/** Chromium without a desktop takes 40 % less CPU time than the whole one for the same pages. */
const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const executablePath = process.env["CHROMIUM_PATH"] ?? programs.find((file) => existsSync(file));

/** Undefined, or why there is no browser to test with. In CI that is a failure. */
export function whyNoBrowser(): string | undefined {
  if (executablePath !== undefined && existsSync(executablePath)) return undefined;
  const reason =
    "install chromium-headless-shell or chromium, or set CHROMIUM_PATH, to run these tests in a browser";
  if (process.env["CI"] === "true") throw new Error(`No browser in CI: ${reason}`);
  return reason;
}

let isBuilt = false;

/** Required as root, and with the small shared memory of containers. */
const flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
/**
 * It draws by software, which needs no process of its own, and compiles without optimization, which takes longer than
 * it saves on pages that are open for seconds.
 */
const testFlags = ["--disable-software-rasterizer", "--in-process-gpu", "--js-flags=--no-opt,--no-maglev"];

/** Builds the front end first, if it is stale. A service reads it when it starts: start that afterwards. */
export function openBrowser(): Promise<Browser> {
  build();
  return chromium.launch({ executablePath: executablePath!, args: [...flags, ...testFlags] });
}

let shared: Promise<Browser> | undefined;

/** The browser of all files that run in this process; of one file where that is run alone. Not to be closed. */
export async function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser().then((browser) => {
    browser.once("disconnected", () => (shared = undefined));
    process.once("svc-files-ended", () => void browser.close());
    return browser;
  });
  return shared;
}

/** Ends the sessions of a file but those that are kept for others, and the browser if no other file follows. */
export async function releaseBrowser(
  browser: Browser,
  isKept = (_context: BrowserContext) => false,
): Promise<void> {
  // Set where a process runs several files, which reports the end of the last one.
  if (process.env["SVC_TEST_FILE"] === undefined) return browser.close();
  const ended = browser.contexts().filter((context) => !isKept(context));
  await Promise.all(ended.map((context) => context.close()));
}

/**
 * The browser for measurements: the one that people use, if it is installed, with its processes and compilers, or
 * with an interpreter alone, which keeps no compiled code in memory.
 */
export function openMeasuredBrowser(compiles = true): Promise<Browser> {
  build();
  const found = process.env["CHROMIUM_PATH"] ?? programs.toReversed().find((file) => existsSync(file));
  if (found === undefined)
    throw new Error("There is no browser: install chromium or chromium-headless-shell.");
  const own = compiles ? [] : ["--js-flags=--jitless"];
  return chromium.launch({ executablePath: found, args: [...flags, ...own] });
}

function build(): void {
  if (!isBuilt)
    execFileSync(process.execPath, [path.join(root, "scripts/build.mjs"), "web"], { stdio: "inherit" });
  isBuilt = true;
}

export interface PageOptions {
  colorScheme?: "light" | "dark";
  width?: number;
  /** Signed in; a visitor without it. */
  user?: { cookie: string };
}

export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** Errors of the console, uncaught errors, refused content and failed requests, in order. */
  troubles: string[];
  /** Requests to anything but the service. */
  outside: string[];
}

/** A page in a session of its own. */
export async function newPage(
  browser: Browser,
  url: string,
  options: PageOptions = {},
): Promise<WatchedPage> {
  const { page, context } = await openPage(browser);
  const watch: Watch = { url, troubles: [], outside: [] };
  watchPage(page, watch);
  await preparePage(page, url, options);
  return { page, context, ...watch };
}

export async function openPage(browser: Browser): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ locale: "en-US" });
  context.setDefaultTimeout(180_000);
  return { page: await context.newPage(), context };
}

/** Signs in, and sets how the page is shown. */
export async function preparePage(
  page: Page,
  url: string,
  { width = 1024, colorScheme = "light", user }: PageOptions,
): Promise<void> {
  // Animations cost time, and a color between two states fails the check of contrasts.
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height: 768 });
  if (!user) return;
  const [name, value] = user.cookie.split("=") as [string, string];
  await page.context().addCookies([{ name, value, url }]);
}

/** Troubles of a page, and the address of the service that it belongs to. */
export type Watch = Pick<WatchedPage, "troubles" | "outside"> & { url: string };

/** Records in `watch` as it is at the time, so that the page can be used for another test. */
export function watchPage(page: Page, watch: Watch): void {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      watch.troubles.push(
        `${message.type()} on ${page.url()}: ${message.text()} (${message.location().url})`,
      );
  });
  page.on("pageerror", (error) => watch.troubles.push(`uncaught on ${page.url()}: ${error.message}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // Leaving a page cancels its pending requests, mostly its icon; a refused or blocked file has another error.
    if (reason !== "net::ERR_ABORTED") watch.troubles.push(`failed: ${request.url()} (${reason})`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(watch.url) && !request.url().startsWith("data:"))
      watch.outside.push(request.url());
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Rows of an earlier query, which a page shows dimmed until the next one has its answer. Mantine uses the name too. */
const earlierRows = '[data-dimmed="true"]:not([class*="mantine-"])';

/**
 * Whether an element is at an edge of what scrolls, where it or its neighbor is cut off: its target, or the space
 * around it, is smaller only until it is scrolled.
 */
const isAtScrollEdge = `(element) => {
  const { top, bottom } = element.getBoundingClientRect();
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (!/auto|scroll/.test(getComputedStyle(around).overflowY)) continue;
    const box = around.getBoundingClientRect();
    if (top < box.top + 24 || bottom > box.bottom - 24) return true;
  }
  return false;
}`;

interface Violation {
  id: string;
  places: string[];
}

/**
 * Violations of WCAG 2.2 AA on the page as it is drawn now, each with up to three places; empty without any.
 *
 * @param rules ids of rules of axe, instead of all of them
 */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // An overlay that is about to be drawn dims the page behind it.
  await drawn(page);
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const runOnly = rules ? { type: "rule", values: rules } : { type: "tag", values: tags };
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  // The rest of the result takes longer to send than some rules to check.
  const found = await page.evaluate<Violation[]>(
    `axe.run({ exclude: ${JSON.stringify(earlierRows)} }, { ...${options}, elementRef: true }).then(({ violations }) =>
      violations
        .map(({ id, nodes }) => ({
          id,
          nodes: id === "target-size" ? nodes.filter(({ element }) => !(${isAtScrollEdge})(element)) : nodes,
        }))
        .filter(({ nodes }) => nodes.length > 0)
        .map(({ id, nodes }) => ({ id, places: nodes.slice(0, 3).map(({ target }) => target.join(" ")) })))`,
  );
  return found.map(({ id, places }) => `${id}: ${places.join(" | ")}`);
}

/** Pixels by which a page, or its part that scrolls, is wider than its place; 0 or less if nothing scrolls sideways. */
export const sidewaysOverflow = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `Math.max(
      document.documentElement.scrollWidth - innerWidth,
      ...Array.from(document.querySelectorAll("main"), (main) => main.scrollWidth - main.clientWidth),
    )`,
  );

/** Pixels by which the document scrolls down below the part of the page that scrolls, where nothing is. */
export const blankBelow = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `document.querySelector("main.body") ? document.documentElement.scrollHeight - innerHeight : 0`,
  );
