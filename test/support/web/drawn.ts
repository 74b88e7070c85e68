import type { Page } from "playwright-core";

/** Resolves once the browser has run the timers that were due, and has drawn what they changed. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))))",
  );
}
