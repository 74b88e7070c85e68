/**
 * Latency of requests while callers from six addresses send content that takes long to process: a page with a wide
 * table, comparisons, and YAML to check. Each page is another one, so that no rendered text is reused.
 *
 * `npm run bench -- costly [--seconds=20] [--rate=20]`
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { costlyYaml, unlike, wideTable } from "../test/support/compute/costly-content.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import type { CostlyCall, Counts, Load } from "./costly/load.ts";
import { atRate, send } from "./costly/send.ts";
import { median, percentile, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";

const { seconds, rate, warmUpMs } = readOptions("costly", {});
/** Measured requests of each kind per second. */
const readsPerSecond = 50;
const maxRatio = 5;
const addresses = Array.from({ length: 6 }, (_, n) => `203.0.113.${n + 1}`);

interface Read {
  name: string;
  path: string;
  headers: Record<string, string>;
}

interface Made {
  skill: { id: string; publicId: string };
}

type Publish = (name: string, content: string) => Promise<Made>;

async function publisherOf(client: Client): Promise<Publish> {
  const tenant = await client.send<{ id: string }>("POST", "/api/tenants", {
    name: "Costly",
    slug: "costly",
  });
  return (name, content) =>
    client.send("POST", "/api/skills", { tenantId: tenant.id, name, content, visibility: "public" });
}

/** Pages, comparisons and checks in turns, from one address after another. */
async function costlyCalls(
  client: Client,
  callers: readonly Client[],
  publish: Publish,
): Promise<CostlyCall[]> {
  const compared: string[] = [];
  for (const [name, before, after] of [
    ["Unlike", unlike(1), unlike(2)],
    ["Added", "one line\n", "A line that was added.\n".repeat(20_000)],
  ] as const) {
    const { skill } = await publish(name, before);
    await client.send("POST", `/api/skills/${skill.id}/versions`, { content: after });
    compared.push(`/api/skills/${skill.id}/diff?from=1&to=2`);
  }
  const calls: CostlyCall[] = [];
  for (let n = 0; n < seconds * rate; n++) {
    const from = Math.floor(n / 3) % addresses.length;
    const headers = { "x-forwarded-for": addresses[from]!, "accept-encoding": "gzip, br" };
    if (n % 3 === 0) {
      const { skill } = await publish(`Wide ${n}`, `${wideTable}\n${n}\n`);
      calls.push({ kind: "page", method: "GET", path: `/s/${skill.publicId}`, headers });
    } else if (n % 3 === 1) {
      calls.push({ kind: "comparison", method: "GET", path: compared[n % 2]!, headers });
    } else {
      const authorization = `Bearer ${callers[from]!.token}`;
      const body = JSON.stringify({ content: costlyYaml });
      const typed = { ...headers, authorization, "content-type": "application/json" };
      calls.push({ kind: "check", method: "POST", path: "/api/lint", headers: typed, body });
    }
  }
  return calls;
}

/** Milliseconds of reads that are sent until `end` is aborted. */
function measure(base: string, { path, headers }: Read, end: AbortSignal): Promise<number[]> {
  const isOver = () => end.aborted;
  return atRate(readsPerSecond, isOver, async (_, agent) => {
    const started = performance.now();
    const status = await send(base, { method: "GET", path, headers }, agent);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return performance.now() - started;
  });
}

/** Milliseconds of the reads by their names, during some work. */
async function timesDuring(base: string, reads: readonly Read[], work: Promise<unknown>) {
  const end = new AbortController();
  const times = Promise.all(reads.map((read) => measure(base, read, end.signal)));
  await work.finally(() => end.abort());
  const all = await times;
  return new Map(reads.map(({ name }, index) => [name, all[index]!]));
}

/** Sends the requests from a process of its own, which takes no time from the one that measures. */
async function sendCostly(load: Load): Promise<Counts> {
  const child = fork(new URL("./costly/load.ts", import.meta.url).pathname, {
    execArgv: ["--import", "tsx"],
  });
  child.send(load);
  const [counts] = (await once(child, "message")) as [Counts];
  return counts;
}

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench");
  const env = { LOG_LEVEL: "warn", TRUST_PROXY: "true" };
  const server = await startServer({ dataDir, env });
  const rows: Row[] = [];
  try {
    const client = await signUp(server);
    const callers: Client[] = [];
    for (const index of addresses.keys()) callers.push(await signUp(server, `caller-${index}`));
    const publish = await publisherOf(client);
    const calls = await costlyCalls(client, callers, publish);
    const { skill } = await publish("Plain", "A line.\n");
    const authorization = `Bearer ${client.token}`;
    const reads: Read[] = [
      { name: "/healthz", path: "/healthz", headers: {} },
      { name: "a signed-in read", path: `/api/skills/${skill.id}`, headers: { authorization } },
    ];
    await timesDuring(server.url, reads, sleep(warmUpMs));
    const idle = await timesDuring(server.url, reads, sleep(seconds * 1000));
    const load = sendCostly({ base: server.url, calls, rate });
    const loaded = await timesDuring(server.url, reads, load);
    for (const [name, times] of loaded) {
      const before = idle.get(name)!;
      const [a, b] = [percentile(times, 0.99), percentile(before, 0.99)];
      const note = `${a.toFixed(1)} ms against ${b.toFixed(1)}; median ${median(times).toFixed(1)} against ${median(before).toFixed(1)}; of ${times.length}`;
      rows.push(row(`${name}, p99 during costly requests / idle`, a / b, "x", { most: maxRatio }, note));
    }
    console.error(JSON.stringify(await load));
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
  reportRows(rows);
}

await main();
