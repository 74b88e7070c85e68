/**
 * The heap of a page after many navigations and a garbage collection, compared with the heap before them. The browser
 * only interprets: the code that it compiles while pages are in use is most of the growth otherwise, and has an end.
 */
import type { Page } from "playwright-core";
import { openMeasuredBrowser } from "../../test/support/browser.ts";
import { row, type Row } from "../figures/figures.ts";
import { openPage, type Bench, type OpenPage } from "./session.ts";

export async function memoryRows(bench: Bench): Promise<Row[]> {
  const { owner, org, sizes } = bench;
  const skill = `/${org.slug}/${org.changed}`;
  const addresses = [
    "/",
    "/explore",
    `/${org.slug}/-/library`,
    `/${org.slug}/-/people`,
    `/${org.slug}/-/audit`,
    skill,
    `${skill}/files/SKILL.md`,
    `${skill}/versions`,
    `${skill}/edit`,
    `/${org.slug}/-/analytics`,
  ];
  const browser = await openMeasuredBrowser(false);
  const open = await openPage({ ...bench, browser });
  await open.page.goto(owner.base + addresses[0]);
  // Code and data that stay are loaded with the first visit of each page.
  for (const address of addresses) await visit(open.page, address);
  const before = await heap(open);
  for (let n = 0; n < sizes.navigations; n++) await visit(open.page, addresses[n % addresses.length]!);
  await visit(open.page, addresses.at(-1)!);
  const after = await heap(open);
  await browser.close();
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const note = `${mb(before.bytes)} to ${mb(after.bytes)} MB, ${before.nodes} to ${after.nodes} nodes`;
  return [
    row(
      `memory after ${sizes.navigations} navigations / before`,
      after.bytes / before.bytes,
      "x",
      { most: 1.2 },
      note,
    ),
  ];
}

/** Shows another page in the front end that runs, with its data. */
async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(`__TSR_ROUTER__.navigate({ href: ${JSON.stringify(address)} })`);
  await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
  await page.locator('[role="status"][aria-label="Loading"]').first().waitFor({ state: "detached" });
}

async function heap({ page, devtools }: OpenPage): Promise<{ bytes: number; nodes: number }> {
  await page.waitForLoadState("networkidle");
  // The second collection frees the memory that finalizers release.
  for (let n = 0; n < 2; n++) await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes } = await devtools.send("Memory.getDOMCounters");
  return { bytes: usedSize, nodes };
}
