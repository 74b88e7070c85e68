/** The first visit of the catalog: its bytes, and its times on a slow machine. */
import { median, row, type Row } from "../figures/figures.ts";
import { firstSeen, openPage, slowDown, watchFor, type Bench } from "./session.ts";

const rowSelector = '[role="option"]';

export async function loadRows(bench: Bench): Promise<Row[]> {
  const bytes = await firstLoad(bench);
  const paints: number[] = [];
  const ready: number[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const { page, devtools, close } = await openPage(bench, false);
    await slowDown(devtools);
    await watchFor(page, rowSelector);
    await page.goto(`${bench.owner.base}/explore`);
    ready.push(await firstSeen(page));
    paints.push(
      await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
    );
    await close();
  }
  const spread = (times: number[]) =>
    `${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms`;
  return [
    row("explore, script and style of the first load", bytes / 1000, "kB", { most: 230 }, "brotli"),
    row("explore, first paint, 4x slower, 40 ms", median(paints), "ms", { most: 1000 }, spread(paints)),
    row("explore, rows ready, 4x slower, 40 ms", median(ready), "ms", { most: 2500 }, spread(ready)),
  ];
}

/** Compressed bytes of scripts and style sheets, without their headers, until the page is idle. */
async function firstLoad(bench: Bench): Promise<number> {
  const { page, devtools, close } = await openPage(bench, false);
  await devtools.send("Network.enable");
  const headerBytes = new Map<string, number>();
  let bytes = 0;
  devtools.on("Network.responseReceived", ({ requestId, type, response }) => {
    if (type === "Script" || type === "Stylesheet") headerBytes.set(requestId, response.encodedDataLength);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const headers = headerBytes.get(requestId);
    if (headers !== undefined) bytes += encodedDataLength - headers;
  });
  await page.goto(`${bench.owner.base}/explore`);
  await page.waitForSelector(rowSelector);
  await page.waitForTimeout(bench.sizes.idleMs);
  await close();
  return bytes;
}
