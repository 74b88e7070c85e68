/** Latency of reads while others publish and a sync runs, and the memory of the service under load. */
import autocannon from "autocannon";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { startGitHost } from "../../test/support/host/git-host.ts";
import { until } from "../../test/support/until.ts";
import { median, type Row, row } from "../figures/figures.ts";
import { residentMb } from "../http/processes.ts";
import { newTenant, randomText, smallBytes, type Sides } from "./sides.ts";

const syncedSkills = 1000;
const publishers = 16;
const secondsOfReads = 8;
const syncTimeoutMs = 300_000;

interface Reader {
  path: string;
  headers: Record<string, string>;
}

/** Milliseconds within which 99 % of the reads are answered; in a thread of its own, since this one publishes. */
async function p99({ path, headers }: Reader): Promise<number> {
  const result = await autocannon({
    url: path,
    headers,
    connections: 4,
    duration: secondsOfReads,
    workers: 1,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} reads of ${path} failed`);
  return result.latency.p99;
}

async function readerOf({ client }: Sides, slug: string): Promise<Reader> {
  const tenantId = await newTenant(client, slug);
  const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId,
    name: "Read me",
    content: randomText(smallBytes),
  });
  return {
    path: `${client.base}/api/skills/${skill.id}/content?version=1`,
    headers: { authorization: `Bearer ${client.token}` },
  };
}

const skillFiles = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `skills/synced-${n}/SKILL.md`,
      `---\nname: synced-${n}\ndescription: A synced skill.\n---\n${randomText(1000)}\n`,
    ]),
  );

export async function latencyRows(sides: Sides): Promise<Row[]> {
  const { client } = sides;
  const reader = await readerOf(sides, "latency");
  const tenantId = await newTenant(client, "latency-writes");
  const host = await startGitHost();
  const idle: number[] = [];
  const loaded: number[] = [];
  let published = 0;
  try {
    await p99(reader);
    for (let round = 0; round < sides.rounds; round++) {
      idle.push(await p99(reader));
      const slug = `latency-sync-${round}`;
      await newTenant(client, slug);
      const repository = await host.newRepository();
      repository.commit(skillFiles(syncedSkills));
      const sync = `/api/tenants/${slug}/repo-sync`;
      await client.send("POST", sync, { host: "local", url: repository.remote.url, branch: "main" });
      const end = new AbortController();
      const publish = async () => {
        while (!end.signal.aborted)
          await client.send("POST", "/api/skills", {
            tenantId,
            name: `Write ${++published}`,
            content: randomText(smallBytes),
          });
      };
      const writers = Array.from({ length: publishers }, publish);
      loaded.push(await p99(reader));
      end.abort();
      await Promise.all(writers);
      const isSynced = async () =>
        (await client.send<{ connection: { lastSyncAt: string | null } }>("GET", sync)).connection
          .lastSyncAt !== null;
      await until("the sync", isSynced, { timeoutMs: syncTimeoutMs, intervalMs: 500 });
      await client.send("DELETE", sync);
    }
  } finally {
    await host.close();
  }
  const ratio = median(loaded.map((time, round) => time / idle[round]!));
  const note = `${median(loaded)} against ${median(idle)} ms, ${published} publishes`;
  return [row("p99 of a signed-in read under load / idle", ratio, "x", { most: 3 }, note)];
}

/** First of all scenarios, since the memory at rest is that of a service that has done nothing else. */
export async function memoryRows(sides: Sides): Promise<Row[]> {
  const { client, server } = sides;
  const { path, headers } = await readerOf(sides, "memory");
  const settled = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5000));
    return residentMb(server.pid);
  };
  const rest = await settled();
  await autocannon({ url: path, headers, connections: 16, amount: 10_000 });
  const afterReads = await settled();
  const tenantId = await newTenant(client, "memory-writes");
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  await mapLimit(numbers, publishers, (n) =>
    client.send("POST", "/api/skills", { tenantId, name: `Write ${n}`, content: randomText(smallBytes) }),
  );
  const afterPublishes = await settled();
  const ratio = (value: number) => value / rest;
  const note = (value: number) =>
    `${Math.round(value)} against ${Math.round(rest)} MB, server and both engines`;
  return [
    row("memory after 10,000 reads / at rest", ratio(afterReads), "x", { most: 1.1 }, note(afterReads)),
    row(
      "memory after 1,000 publishes / at rest",
      ratio(afterPublishes),
      "x",
      { most: 1.1 },
      note(afterPublishes),
    ),
  ];
}
