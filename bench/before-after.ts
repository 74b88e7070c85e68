/**
 * Reads and publishes of this checkout against those of an earlier one, to measure the cost of added checks. Both are
 * built services with data of their own, measured in alternating blocks of one run. The measure of a read is the CPU
 * time of the service and of the git processes that it has waited for, since a busy machine changes every rate by more
 * than the bound. That of a publish is the time of the answer: scans and signatures come after it.
 *
 * `npm run bench -- before-after --before=<a built checkout>
 *   [--blocks=15] [--requests=1000] [--publishes=20] [--only=<part of a name>]`; the smallest size compares this
 * checkout with itself
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { root } from "../test/support/root.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../test/support/server.ts";
import { median, reportRows, row, type Row } from "./figures/figures.ts";
import { isSmallest, readOptions } from "./figures/options.ts";
import { openNativeGit, type NativeGit } from "./git/native.ts";
import { signUp } from "./http/client.ts";

const options = readOptions("before-after", { before: "", only: "" });
const { warmUp, blocks, requests, clones, publishes, only } = options;
/** No check may slow a request by more than 3 %. */
const leastRatio = 0.97;
const pauseMs = 100;

interface Side {
  server: Server;
  headers: Record<string, string>;
  /** Paths of reads by their names, the same on both sides. */
  paths: Record<string, string>;
  clone: string;
  /** Publishes a version; returns the milliseconds of the answer. */
  publish(): Promise<number>;
}

async function openSide(dataDir: string, checkout: string | undefined): Promise<Side> {
  const server = await startServer({
    dataDir,
    env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" },
    checkout,
  });
  const client = await signUp(server);
  const tenant = await client.send<{ id: string }>("POST", "/api/tenants", { name: "Reads", slug: "reads" });
  const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId: tenant.id,
    name: "Read me",
    content: `---\nname: read-me\ndescription: Reads.\ntags: [a, b]\n---\n${"A line of the skill.\n".repeat(100)}`,
    visibility: "public",
  });
  const paths = {
    "content of a fixed version": `/api/skills/${skill.id}/content?version=1`,
    "a skill": `/api/skills/${skill.id}`,
    "a name resolved": "/api/skills/resolve?ref=reads/read-me",
    "a list of versions": `/api/skills/${skill.id}/versions`,
    "a list of skills": "/api/skills",
    "public skills": "/api/explore",
  };
  const headers = { authorization: `Bearer ${client.token}` };
  const written = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId: tenant.id,
    name: "Write me",
    content: "# Writes\n",
  });
  let count = 0;
  const publish = async () => {
    const content = `# Writes ${++count}\n\n${"A line of the skill.\n".repeat(100)}`;
    const started = performance.now();
    await client.send("POST", `/api/skills/${written.skill.id}/versions`, { content });
    return performance.now() - started;
  };
  return { server, headers, paths, clone: `${server.url}/reads/read-me.git`, publish };
}

async function compare(
  name: string,
  measure: (side: Side) => Promise<number>,
  [before, after]: readonly [Side, Side],
): Promise<Row> {
  const ratios: number[] = [];
  for (let block = -warmUp; block < blocks; block++) {
    // Each side is first in every other block: the machine gets slower and faster on the way.
    const order = block % 2 === 0 ? [before, after] : [after, before];
    const measured = new Map<Side, number>();
    for (const side of order) measured.set(side, await measure(side));
    if (block >= 0) ratios.push(measured.get(after)! / measured.get(before)!);
  }
  const spread = `from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return row(`${name}, before / after`, median(ratios), "x", { least: leastRatio }, spread);
}

/** CPU time so far of a process and of its ended children, in clock ticks (proc_pid_stat(5)). */
function ticksOf({ pid }: Server): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

/** Requests per clock tick of the service. */
async function readRate(side: Side, path: string): Promise<number> {
  const before = ticksOf(side.server);
  const result = await autocannon({
    url: side.server.url + path,
    headers: side.headers,
    connections: 4,
    amount: requests,
  });
  if (result["2xx"] !== requests)
    throw new Error(`${path} answered ${JSON.stringify(result.statusCodeStats)}`);
  return requests / (ticksOf(side.server) - before);
}

/** Clones per clock tick of the service, one after another. */
async function cloneRate(native: NativeGit, folder: string, { clone, server }: Side): Promise<number> {
  const before = ticksOf(server);
  for (let round = 0; round < clones; round++) {
    const target = join(folder, "clone");
    await native.git(folder, "clone", "-q", clone, target);
    removeFolder(target);
  }
  return clones / (ticksOf(server) - before);
}

/** Publishes per millisecond of waiting, with a pause after each, in which what follows it is done. */
async function publishRate({ publish }: Side): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < publishes; round++) {
    times.push(await publish());
    await sleep(pauseMs);
  }
  return 1 / median(times);
}

async function main(before: string): Promise<void> {
  const folder = temporaryFolder("before-after");
  const native = openNativeGit();
  const servers: Server[] = [];
  const rows: Row[] = [];
  try {
    const sides: Side[] = [];
    for (const [name, checkout] of [
      ["before", before],
      ["after", undefined],
    ] as const) {
      const dataDir = join(folder, name);
      mkdirSync(dataDir);
      const side = await openSide(dataDir, checkout);
      sides.push(side);
      servers.push(side.server);
    }
    const both = [sides[0]!, sides[1]!] as const;
    const names = Object.keys(both[0].paths).filter((name) => name.includes(only));
    for (const name of names)
      rows.push(await compare(name, (side) => readRate(side, side.paths[name]!), both));
    if ("a clone".includes(only))
      rows.push(await compare("a clone", (side) => cloneRate(native, folder, side), both));
    if ("a publish".includes(only)) rows.push(await compare("a publish", publishRate, both));
  } finally {
    native.close();
    for (const server of servers) await server.stop();
    removeFolder(folder);
  }
  reportRows(rows);
}

if (options.before !== "") await main(options.before);
else if (isSmallest) await main(root);
else console.log("before-after: skipped, since --before names no built checkout to compare with.");
