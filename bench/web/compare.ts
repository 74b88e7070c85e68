/** Comparing two versions with 5,000 changed lines, from the address until rows are shown and the page reacts. */
import { median, row, type Row } from "../figures/figures.ts";
import { firstSeen, openPage, watchFor, type Bench } from "./session.ts";

export async function compareRows(bench: Bench): Promise<Row[]> {
  const { owner, org } = bench;
  const times: number[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const { page, close } = await openPage(bench);
    await watchFor(page, ".diff .line");
    await page.goto(`${owner.base}/${org.slug}/${org.changed}/compare/1.0.0...2.0.0`);
    times.push(await firstSeen(page));
    await close();
  }
  const note = "from the navigation with an empty cache";
  return [row("compare of 5,000 changed lines, usable", median(times), "ms", { most: 1000 }, note)];
}
