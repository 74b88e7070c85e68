/**
 * Interaction to Next Paint on a processor of a quarter of the speed: from a key or click until the browser has painted
 * its effect, as the browser reports it. The value of each kind is the one that a visit with these interactions has.
 */
import type { Page } from "playwright-core";
import { percentile, row, type Row } from "../figures/figures.ts";
import { seedFullFolder } from "./seed.ts";
import { openPage, type Bench, type OpenPage } from "./session.ts";

const rate = 4;
/** Faster interactions are not reported. */
const minMs = 16;

export async function interactionRows(bench: Bench): Promise<Row[]> {
  const full = await seedFullFolder(bench.database, bench.owner, bench.sizes.percent);
  const kinds = [
    ["typing in the editor", `/${full.slug}/${full.text}/edit`, ".cm-content", typing],
    ["opening the palette", `/${full.slug}/${full.text}`, ".md", palette],
    ["switching the tabs of a skill", `/${full.slug}/${full.text}`, ".md", tabs],
    [
      `opening a folder of ${full.skills} skills`,
      `/${full.slug}/-/library`,
      '[role="treegrid"] .toggle',
      folder,
    ],
  ] as const;
  const rows: Row[] = [];
  for (const [name, address, ready, run] of kinds) {
    const open = await openPage(bench);
    await open.page.goto(bench.owner.base + address);
    await open.page.waitForSelector(ready);
    await open.page.waitForTimeout(bench.sizes.idleMs);
    await open.devtools.send("Emulation.setCPUThrottlingRate", { rate });
    await observe(open.page);
    await run(open, bench);
    const times = await durations(open.page);
    await open.close();
    const note = `${times.length} interactions, median ${percentile(times, 0.5)} ms`;
    rows.push(row(`INP of ${name}, ${rate}x slower`, percentile(times, 0.98), "ms", { most: 200 }, note));
  }
  return rows;
}

const observe = (page: Page) =>
  page.evaluate(`{
    self.interactions = new Map();
    self.note = (entries) => {
      for (const { interactionId, duration } of entries)
        if (interactionId > 0)
          interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) ?? 0));
    };
    self.events = new PerformanceObserver((list) => note(list.getEntries()));
    events.observe({ type: "event", durationThreshold: ${minMs} });
  }`);

/** Durations of the interactions in ms, in steps of 8. */
async function durations(page: Page): Promise<number[]> {
  await painted(page);
  const found = await page.evaluate<number[]>(
    "(note(events.takeRecords()), Array.from(interactions.values()))",
  );
  return found.length > 0 ? found : [minMs];
}

/** Resolves after the next frames, with which the browser reports the events before them. */
const painted = (page: Page) =>
  page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))",
  );

async function typing({ page }: OpenPage, { sizes }: Bench): Promise<void> {
  await page.locator(".cm-line").nth(5).click();
  for (let n = 0; n < sizes.keys; n++) {
    await page.keyboard.press("words of a sentence "[n % 20]!);
    await page.waitForTimeout(120);
  }
}

/** The first time with the code of the palette. */
async function palette({ page }: OpenPage, { sizes }: Bench): Promise<void> {
  const field = page.getByRole("textbox", { name: "Search or jump to" });
  for (let round = 0; round < sizes.rounds; round++) {
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.waitForTimeout(sizes.idleMs);
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await painted(page);
  }
}

async function tabs({ page }: OpenPage, { sizes }: Bench): Promise<void> {
  const links = page.getByRole("navigation", { name: "Skill" });
  for (let round = 0; round < sizes.rounds; round++)
    for (const name of ["Files", "Versions", "Analytics", "Installs", "Settings", "Readme"]) {
      await links.getByRole("link", { name: new RegExp(`^${name}`) }).click();
      await links.locator("[aria-current]").filter({ hasText: name }).waitFor();
      await page.waitForTimeout(sizes.idleMs);
    }
}

async function folder({ page }: OpenPage, { sizes }: Bench): Promise<void> {
  const full = page.locator('[role="row"]:has(.toggle)').first();
  if ((await full.getAttribute("aria-expanded")) === "true") await full.locator(".toggle").click();
  for (let round = 0; round < sizes.rounds; round++)
    for (const isOpen of ["true", "false"]) {
      await full.locator(".toggle").click();
      await full.and(page.locator(`[aria-expanded="${isOpen}"]`)).waitFor();
      await page.waitForTimeout(sizes.idleMs);
    }
}
