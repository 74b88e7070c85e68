/** Program of a process that sends costly requests. */
import { atRate, send, type Call } from "./send.ts";

export interface CostlyCall extends Call {
  /** Name of its kind in the counts. */
  kind: string;
}

export interface Load {
  base: string;
  calls: CostlyCall[];
  /** Calls per second. */
  rate: number;
}

/** Numbers of responses by kind and status. */
export type Counts = Record<string, number>;

async function run({ base, calls, rate }: Load): Promise<Counts> {
  const counts: Counts = {};
  await atRate(
    rate,
    (n) => n === calls.length,
    async (n, agent) => {
      const name = `${calls[n]!.kind} ${await send(base, calls[n]!, agent)}`;
      counts[name] = (counts[name] ?? 0) + 1;
    },
  );
  return counts;
}

process.once("message", (load: Load) => {
  void run(load).then((counts) => process.send!(counts, () => process.disconnect()));
});
