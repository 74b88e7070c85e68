/** Every page while the service is slow: its heading is there at once, and nothing moves as the data arrives. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { routes, setUpPages } from "../support/web/pages.ts";

const pictures = process.env["SVC_TEST_PICTURES"];
/** Time that each request of data waits, unless the page is ready for it before. */
const longestMs = 60_000;
/** Layout shift (CLS) that users do not notice; 0.1 counts as good. */
const allowedShift = 0.05;
/** Pages whose heading is data. */
const withoutHeading = /^\/(\$org(\/\$slug.*)?)?$/;

interface Shifts {
  sum: number;
  largest: string[];
}

/** Records the shifts that the browser reports, with what moved. */
const recordShifts = `
  self.shifts = { sum: 0, largest: [] };
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      shifts.sum += value;
      const moved = sources.map(({ node }) => node?.className || node?.nodeName).join(", ");
      if (value > 0.005) shifts.largest.push(value.toFixed(3) + ": " + moved);
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

const readShifts = (page: Page) => page.evaluate<Shifts>("shifts");

describe("a page whose data is slow", { skip: whyNoBrowser() ?? false }, async () => {
  const pages = await setUpPages();
  const { service, newPage } = pages.dashboard;

  async function problemsOf(route: string): Promise<string[]> {
    const { page, context } = await newPage({ user: pages.seeded.owner });
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const late = setTimeout(release, longestMs);
    await page.route(/\/api\/(?!events)/, async (call) => {
      await released;
      await call.continue().catch(() => undefined);
    });
    await page.addInitScript({ content: recordShifts });
    await page.goto(service.url + pages.addressOf(route));
    const heading = page.locator(".shell main h1, .shell main [aria-label=Loading]").first();
    const hasFrame = await heading.waitFor({ state: "attached", timeout: longestMs }).then(
      () => true,
      () => false,
    );
    // While the calls of the API are held, until `late`: the code of the page may come after its frame.
    const titles = page.locator("main h1");
    if (!withoutHeading.test(route))
      await titles
        .first()
        .waitFor({ state: "attached", timeout: longestMs / 2 })
        .catch(() => undefined);
    const title = await titles.allTextContents();
    const name = route.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "home";
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: path.join(pictures, `loading-${name}.png`) });
    }
    clearTimeout(late);
    release();
    await page.waitForLoadState("networkidle");
    const { sum, largest } = await readShifts(page);
    await context.close();
    return [
      ...(hasFrame ? [] : [`${route} is blank while it loads`]),
      ...(title.length === 1 || withoutHeading.test(route)
        ? []
        : [`${route} has ${title.length} headings while it loads`]),
      ...(sum < allowedShift ? [] : [`${route} moves by ${sum.toFixed(3)}: ${largest.join(" | ")}`]),
    ];
  }

  it("has its heading at once, and does not move as the data arrives", async () => {
    const problems: string[] = [];
    await mapLimit(routes, 3, async (route) => void problems.push(...(await problemsOf(route))));
    assert.deepEqual(problems, []);
  });
});
