/** Pages of an organization of 20,000 folders, 100,000 skills and 10,000 members, until their rows are shown. */
import { median, row, type Row } from "../figures/figures.ts";
import { seedLargeOrganization } from "./seed.ts";
import { firstSeen, openPage, watchFor, type Bench } from "./session.ts";

export async function largeRows(bench: Bench): Promise<Row[]> {
  const slug = await seedLargeOrganization(bench.database, bench.owner, bench.sizes.percent);
  const rows: Row[] = [];
  for (const [name, address, selector] of [
    ["library of 20,000 folders and 100,000 skills", `/${slug}/-/library`, '[role="treegrid"] [role="row"]'],
    ["members of an organization of 10,000", `/${slug}/-/people`, '[role="row"], tbody tr'],
    ["explore of 55,000 public skills", "/explore", '[role="listbox"] [role="option"]'],
  ] as const) {
    const times: number[] = [];
    let nodes = 0;
    for (let round = 0; round < bench.sizes.rounds; round++) {
      const { page, close } = await openPage(bench);
      await watchFor(page, selector);
      await page.goto(bench.owner.base + address);
      times.push(await firstSeen(page));
      await page.waitForTimeout(bench.sizes.idleMs);
      nodes = await page.evaluate<number>("document.querySelectorAll('*').length");
      await close();
    }
    rows.push(row(`${name}, rows ready`, median(times), "ms", {}, `${nodes} elements`));
  }
  return rows;
}
