/** Typing in a document of 500 kB, against a bare text area with the same text in the same browser. */
import type { CDPSession, Page } from "playwright-core";
import { median, row, type Row } from "../figures/figures.ts";
import { openPage, type Bench } from "./session.ts";

export async function typingRows(bench: Bench): Promise<Row[]> {
  const { owner, org, sizes } = bench;
  const { page, devtools, close } = await openPage(bench);
  await devtools.send("Performance.enable");
  const address = `${owner.base}/${org.slug}/${org.longText}`;
  await page.goto(`${address}/edit`);
  await page.waitForSelector(".cm-content");
  await page.waitForTimeout(3000);
  await page.evaluate("document.querySelector('.cm-scroller').scrollTop = 1e6");
  await page.waitForTimeout(1000);
  await page.locator(".cm-line").nth(10).click();
  const editor = await typed(page, devtools, sizes.keys);

  await page.goto(`${owner.base}/api/openapi.json`);
  const text = await (
    await fetch(`${owner.base}/api/skills/${org.slug}~${org.longText}/content`, {
      headers: { authorization: `Bearer ${owner.token}` },
    })
  ).text();
  await page.evaluate(`{
    const text = ${JSON.stringify(text)};
    document.body.innerHTML = '<textarea style="width:900px;height:700px"></textarea>';
    const area = document.querySelector("textarea");
    area.value = text;
    area.focus();
    area.setSelectionRange(text.length / 2, text.length / 2);
  }`);
  const area = await typed(page, devtools, sizes.keys);
  await close();
  const note = `text area: script ${area.script.toFixed(1)} ms, paint ${area.paint.toFixed(0)} ms`;
  return [
    row("a key in a text of 500 kB, script", editor.script, "ms", { most: 16 }, note),
    row(
      "a key in a text of 500 kB, to the next paint / text area",
      editor.paint / area.paint,
      "x",
      { most: 2 },
      `${editor.paint.toFixed(0)} ms`,
    ),
  ];
}

/** Milliseconds per key: of script, and until the next paint as the browser reports it, in steps of 8 ms. */
async function typed(
  page: Page,
  devtools: CDPSession,
  keys: number,
): Promise<{ script: number; paint: number }> {
  await page.evaluate(`{
    globalThis.durations = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === "keydown") durations.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16 });
  }`);
  const scriptTime = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ScriptDuration")!.value * 1000;
  };
  const before = await scriptTime();
  for (let n = 0; n < keys; n++) {
    await page.keyboard.press("abcdefgh"[n % 8]!);
    await page.waitForTimeout(120);
  }
  const script = ((await scriptTime()) - before) / keys;
  const durations = await page.evaluate<number[]>("globalThis.durations");
  // Faster ones are not reported.
  const all = [...durations, ...Array.from({ length: Math.max(0, keys - durations.length) }, () => 16)];
  return { script, paint: median(all) };
}
