/** Scrolling in lists of 10,000 rows, and a library of 2,000 folders. */
import { median, row, type Row } from "../figures/figures.ts";
import { openPage, scrollRate, type Bench } from "./session.ts";

const step = 100;

export async function listRows(bench: Bench): Promise<Row[]> {
  return [...(await scrollRows(bench)), await expandRow(bench)];
}

async function scrollRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  const { frames } = bench.sizes;
  for (const [rate, least] of [
    [1, 55],
    [4, 35],
  ] as const) {
    for (const [name, address, ready, scroller] of [
      ["explore", "/explore", '[role="option"]', '[data-scroll-restoration-id="explore-list"]'],
      ["library", `/${bench.org.slug}/-/library`, '[role="treegrid"] [role="row"]', ".library .rows"],
    ] as const) {
      const { page, devtools, close } = await openPage(bench);
      await page.goto(bench.owner.base + address);
      await page.waitForSelector(ready);
      await page.waitForTimeout(bench.sizes.idleMs);
      await devtools.send("Emulation.setCPUThrottlingRate", { rate });
      const rates: number[] = [];
      const still: number[] = [];
      for (let round = 0; round < 3; round++) {
        rates.push(await scrollRate(page, scroller, step, frames));
        still.push(await scrollRate(page, "body", 0, frames));
      }
      await close();
      const slow = rate === 1 ? "" : `, ${rate}x slower`;
      rows.push(
        row(
          `${name} of 10,000 skills, scrolling${slow}`,
          median(rates),
          "fps",
          { least },
          `without scrolling ${median(still).toFixed(0)}`,
        ),
      );
    }
  }
  return rows;
}

async function expandRow(bench: Bench): Promise<Row> {
  const times: number[] = [];
  const { page, close } = await openPage(bench);
  await page.goto(`${bench.owner.base}/${bench.org.slug}/-/library`);
  await page.waitForSelector('[role="treegrid"] [role="row"]');
  await page.waitForTimeout(bench.sizes.idleMs);
  for (let round = 0; round < bench.sizes.rounds; round++) {
    await page.getByRole("button", { name: "Collapse all folders" }).click();
    await page.waitForTimeout(500);
    times.push(
      await page.evaluate<number>(`new Promise((resolve) => {
        const started = performance.now();
        document.querySelector('[aria-label="Expand all folders"]').click();
        const look = () =>
          document.querySelector('[role="row"][aria-level="2"]')
            ? requestAnimationFrame(() => resolve(performance.now() - started))
            : requestAnimationFrame(look);
        look();
      })`),
    );
  }
  await close();
  return row("library of 2,000 folders, expand all", median(times), "ms", { most: 150 });
}
