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

  it("have none without script and session, and at addresses that have no page", async () => {
    const { problems } = await problemsOn(undefined, plainPages);
    assert.deepEqual(problems, []);
  });
});

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
