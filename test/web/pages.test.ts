/** WCAG 2.2 AA on every page of the dashboard and every page without script: light and dark, wide and narrow. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { accessibilityProblems, blankBelow, sidewaysOverflow, whyNoBrowser } from "../support/browser.ts";
import { routes, setUpPages } from "../support/web/pages.ts";

/** Set to keep pictures of every page. */
const pictures = process.env["SVC_TEST_PICTURES"];
/** Pages that people use most, for checks that would take too long on all of them. */
const mainPages = [
  "/",
  "/explore",
  "/new",
  "/settings/tokens",
  "/$org/-/library/$",
  "/$org/-/people",
  "/$org/-/audit",
  "/$org/-/sync",
  "/$org/$slug",
  "/$org/$slug/files/$",
  "/$org/$slug/versions",
  "/$org/$slug/compare/$range",
  "/$org/$slug/edit",
];
/** Pages without script, and an address that has none. */
const plainPages = ["/sign-in", "/sign-up", "/forgot-password", "/device", "/no/such/page"];

describe("the pages", { skip: whyNoBrowser() ?? false }, async () => {
  const pages = await setUpPages();
  const problemsOn = async (who: { cookie: string } | undefined, visited: readonly string[]) => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
    const watched = await pages.dashboard.newPage({ user: who });
    const problems: string[] = [];
    for (const route of visited)
      problems.push(...(await pages.visit(watched, route)), ...(await problemsOf(watched.page, route)));
    return { problems, watched };
  };

  it("have no accessibility problems in both schemes, wide and narrow, and are not blank", async () => {
    const { problems, watched } = await problemsOn(pages.seeded.owner, routes);
    assert.deepEqual([...problems, ...watched.troubles, ...watched.outside], []);
  });

  it("have none at a zoom of 200 %, where nothing moves for those who want less motion", async () => {
    const watched = await pages.dashboard.newPage({ user: pages.seeded.owner });
    const { page, context, troubles } = watched;
    const protocol = await context.newCDPSession(page);
    const problems: string[] = [];
    for (const route of mainPages) {
      problems.push(...(await pages.visit(watched, route)));
      // A window of 1440 by 900 pixels, as it is laid out with this zoom.
      const window = { width: 720, height: 450, deviceScaleFactor: 2, mobile: false };
      await protocol.send("Emulation.setDeviceMetricsOverride", window);
      const found = [...(await accessibilityProblems(page)), ...(await page.evaluate<string[]>(movingParts))];
      problems.push(...found.map((one) => `${route} at 200 %: ${one}`));
      const overflow = await sidewaysOverflow(page);
      if (overflow > 0) problems.push(`${route} scrolls sideways by ${overflow} px at 200 %`);
    }
    await protocol.detach();
    assert.deepEqual([...problems, ...troubles], []);
  });

  it("have no lines of text over 1,240 px on a wide screen, and no empty space between the columns", async () => {
    const watched = await pages.dashboard.newPage({ user: pages.seeded.owner, width: 2560 });
    const problems: string[] = [];
    for (const route of mainPages) {
      problems.push(...(await pages.visit(watched, route)));
      const wide = await watched.page.evaluate<string[]>(wideLines);
      problems.push(...wide.map((one) => `${route}: ${one}`));
    }
    await pages.visit(watched, "/$org/-/library/$");
    const cells = watched.page.getByRole("treegrid").getByRole("row").last().getByRole("gridcell");
    const [name, next] = await Promise.all([cells.nth(0).boundingBox(), cells.nth(1).boundingBox()]);
    assert.ok(next!.x - name!.x < 1000, "the columns of the library are far from the names");
    assert.deepEqual(problems, []);
  });

  it("have none without script and session, and at addresses that have no page", async () => {
    const { problems } = await problemsOn(undefined, plainPages);
    assert.deepEqual(problems, []);
  });
});

/** Lines of paragraphs that are too long to be read. */
const wideLines = `Array.from(document.querySelectorAll("main :is(p, dd, li)")).flatMap((element) => {
  const text = document.createRange();
  text.selectNodeContents(element);
  const width = Math.max(0, ...Array.from(text.getClientRects(), (line) => line.width));
  return element.childElementCount === 0 && width > 1240 ? [width + " px: " + element.textContent] : [];
})`;

/** Elements that are animated, or that would be on a change. Pages of tests prefer reduced motion. */
const movingParts = `Array.from(document.querySelectorAll("*")).flatMap((element) => {
  const { animationName, animationDuration, transitionDuration } = getComputedStyle(element);
  const longest = (times) => Math.max(...times.split(",").map(parseFloat));
  const moves = longest(transitionDuration) > 0 || (animationName !== "none" && longest(animationDuration) > 0);
  return moves ? ["moves: " + element.tagName + "." + element.className] : [];
})`;

/** Axe and the overflow in the four combinations, on one load of the page, of which two are kept as pictures. */
async function problemsOf(page: Page, route: string): Promise<string[]> {
  const problems: string[] = [];
  const name = route.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "home";
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // The scheme changes colors only.
      const found = await accessibilityProblems(
        page,
        colorScheme === "dark" ? ["color-contrast"] : undefined,
      );
      problems.push(...found.map((one) => `${route} ${colorScheme} ${width}: ${one}`));
      const isPictured = (colorScheme === "dark") === (width === 360);
      if (pictures !== undefined && isPictured)
        await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}-${width}.png`) });
    }
    const overflow = await sidewaysOverflow(page);
    if (overflow > 0) problems.push(`${route} scrolls sideways by ${overflow} px at ${width}`);
    const blank = await blankBelow(page);
    if (blank > 0) problems.push(`${route} scrolls down by ${blank} px below its content at ${width}`);
  }
  return problems;
}
