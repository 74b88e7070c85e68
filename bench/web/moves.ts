/** From a click on a link that was hovered until the next page is painted. */
import type { Page } from "playwright-core";
import { median, percentile, row, type Row } from "../figures/figures.ts";
import { openPage, type Bench } from "./session.ts";

export async function moveRows(bench: Bench): Promise<Row[]> {
  const { page, close } = await openPage(bench);
  await page.goto(`${bench.owner.base}/${bench.org.slug}/-/people`);
  const times: number[] = [];
  for (let round = -1; round < bench.sizes.rounds * 2; round++) {
    for (const [link, heading] of [
      ["Explore", "Explore"],
      ["Audit log", "Audit log"],
      ["Home", "Home"],
      ["People and roles", "People and roles"],
    ] as const) {
      const time = await move(page, link, heading);
      if (round >= 0) times.push(time);
    }
  }
  await close();
  const note = `p95 ${Math.round(percentile(times, 0.95))} ms of ${times.length} moves`;
  return [row("from one prefetched page to another", median(times), "ms", { most: 100 }, note)];
}

async function move(page: Page, link: string, heading: string): Promise<number> {
  const target = page.getByRole("navigation").getByRole("link", { name: link, exact: true }).first();
  await target.hover();
  await page.waitForTimeout(600);
  await page.evaluate(
    `globalThis.moved = new Promise((resolve) => {
    let started;
    addEventListener("click", (event) => (started = event.timeStamp), { capture: true, once: true });
    const look = () => {
      const isShown = document.querySelector("h1")?.textContent === ${JSON.stringify(heading)};
      if (!isShown || started === undefined) return requestAnimationFrame(look);
      requestAnimationFrame(() => resolve(performance.now() - started));
    };
    look();
  })`.replace("globalThis.moved = ", "void (globalThis.moved = ") + ")",
  );
  await target.click();
  return page.evaluate<number>("globalThis.moved");
}
