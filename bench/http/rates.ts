/** Rates of two sides in one run, so that a busy machine slows both alike. */
import autocannon from "autocannon";
import { median } from "../figures/figures.ts";

export const blocks = 5;

/** Answers per second over one block. */
export async function rate(url: string, headers: Record<string, string>, expected: number): Promise<number> {
  const result = await autocannon({ url, headers, connections: 8, duration: 2 });
  const others = Object.entries(result.statusCodeStats ?? {}).filter(
    ([status]) => Number(status) !== expected,
  );
  if (others.length > 0 || result.errors > 0) throw new Error(`${url} answered ${JSON.stringify(others)}`);
  return result.requests.average;
}

/** Ours against the other side, in alternating blocks; the median of the blocks' ratios. */
export async function rateRatio(
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<{ ratio: number; note: string }> {
  await ours();
  await bare();
  const pairs: [number, number][] = [];
  for (let block = 0; block < blocks; block++) pairs.push([await ours(), await bare()]);
  const ratio = median(pairs.map(([a, b]) => a / b));
  return {
    ratio,
    note: `${Math.round(median(pairs.map(([a]) => a)))} against ${Math.round(median(pairs.map(([, b]) => b)))} per s`,
  };
}
