/** Pages of the dashboard in a browser. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import {
  accessibilityProblems,
  blankBelow,
  releaseBrowser,
  sharedBrowser,
  sidewaysOverflow,
  type PageOptions,
  type WatchedPage,
} from "../browser.ts";
import type { TestService } from "../service.ts";
import { setUpService } from "../set-up.ts";
import { isPooled, releasePage, takePage } from "./page-pool.ts";

export interface Dashboard {
  readonly service: TestService;
  readonly browser: Browser;
  /** A page in a session of its own, which ends with the test. Wide unless stated. */
  newPage(options?: PageOptions): Promise<WatchedPage>;
  /** Such a page at a path of the service. */
  open(path: string, options?: PageOptions): Promise<WatchedPage>;
}

/** A browser for the tests of the file or suite that awaits it, and a service, unless one is given. */
export async function setUpDashboard(given?: TestService): Promise<Dashboard> {
  const service = given ?? (await setUpService()).service;
  const browser = await sharedBrowser();
  const opened: WatchedPage[] = [];
  const newPage: Dashboard["newPage"] = async (options) => {
    const watched = await takePage(browser, service.url, { width: 1440, ...options });
    opened.push(watched);
    return watched;
  };
  afterEach(async () => {
    for (const { context } of opened.splice(0)) await releasePage(browser, context);
  });
  after(() => releaseBrowser(browser, isPooled));
  return {
    service,
    browser,
    newPage,
    async open(path, options) {
      const watched = await newPage(options);
      await watched.page.goto(service.url + path);
      return watched;
    },
  };
}

/** Folder for a picture of each look, if set. */
const pictures = process.env["SVC_TEST_PICTURES"];

export interface Look {
  colorScheme: "light" | "dark";
  width: number;
}
/** Rules of axe about what a look changes. */
const rulesOfLooks = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"];
const looks: readonly Look[] = [
  { colorScheme: "light", width: 1440 },
  { colorScheme: "dark", width: 360 },
];

/**
 * Fails for problems of accessibility, or of scrolling, of an open page: light and wide, dark and narrow.
 *
 * @param subject what the pictures show, if it is not at the top
 */
export async function assertAccessible(
  page: Page,
  name: string,
  subject?: Locator,
  seenAs: readonly Look[] = looks,
): Promise<void> {
  const size = page.viewportSize()!;
  for (const { colorScheme, width } of seenAs) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: size.height });
    const look = `${name} ${colorScheme} ${width}`;
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      await subject?.scrollIntoViewIfNeeded();
      const file = join(pictures, `${look.replaceAll(" ", "-")}.png`);
      await page.screenshot({ path: file });
    }
    // Names and roles are the same in every look. The whole of each page is checked in all looks by web/pages.
    const rules = colorScheme === seenAs[0]!.colorScheme ? undefined : rulesOfLooks;
    assert.deepEqual(await accessibilityProblems(page, rules), [], look);
    const overflow = await sidewaysOverflow(page);
    assert.ok(overflow <= 0, `${look} scrolls sideways by ${overflow} px`);
    const blank = await blankBelow(page);
    assert.ok(blank <= 0, `${look} scrolls down by ${blank} px below its content`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(size);
}
