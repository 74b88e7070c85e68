/** Rates of several sides in one run, so that a busy machine slows all of them alike. */
import autocannon from "autocannon";
import { median } from "../figures/figures.ts";

export interface RateOptions {
  connections?: number;
  seconds?: number;
}

/** Answers per second over one block. */
export async function rate(
  url: string,
  headers: Record<string, string>,
  expected: number,
  { connections = 8, seconds = 2 }: RateOptions = {},
): Promise<number> {
  const result = await autocannon({ url, headers, connections, duration: seconds });
  const others = Object.entries(result.statusCodeStats ?? {}).filter(
    ([status]) => Number(status) !== expected,
  );
  if (others.length > 0 || result.errors > 0) throw new Error(`${url} answered ${JSON.stringify(others)}`);
  return result.requests.total / result.duration;
}

/** The first side of an alternation against another one. */
export interface RateRatio {
  /** The median of the rounds' ratios. */
  ratio: number;
  note: string;
}

/** Ours against the other side, in alternating blocks. */
export async function rateRatio(
  ours: () => Promise<number>,
  bare: () => Promise<number>,
  blocks: number,
): Promise<RateRatio> {
  const [ratio] = await rateRatios([ours, bare], blocks);
  return ratio!;
}

/**
 * Runs every side once to warm it up, then all of them in alternating rounds: the first side against each other one.
 */
export async function rateRatios(
  sides: readonly (() => Promise<number>)[],
  rounds: number,
): Promise<RateRatio[]> {
  for (const side of sides) await side();
  const measured: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    const rates: number[] = [];
    for (const side of sides) rates.push(await side());
    measured.push(rates);
  }
  const middle = (side: number) => Math.round(median(measured.map((rates) => rates[side]!)));
  return sides.slice(1).map((_, index) => ({
    ratio: median(measured.map((rates) => rates[0]! / rates[index + 1]!)),
    note: `${middle(0)} against ${middle(index + 1)} per s`,
  }));
}
