/**
 * SCIM: users created one by one, with the effect on concurrent reads, and a page of the list against a plain query of
 * the same documents by the same index, in alternating turns.
 *
 * `npm run bench -- scim [--users=10000] [--concurrency=2]`
 */
import { setTimeout as pause } from "node:timers/promises";
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { newId, openDatabase, type Database } from "../storage/database.ts";
import type { SsoDomainDoc } from "../storage/sso/domains.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../test/support/server.ts";
import { median, percentile, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";
import { cpuTimeDuring } from "./publish/cpu-time.ts";

const { users, concurrency, turns, idleMs } = readOptions("scim", {});
const pageSize = 200;
const warmUp = 20;
/** Time between two reads. */
const paceMs = 20;

interface Provider {
  baseUrl: string;
  token: string;
}

/** Makes provisioned users members, without an invitation. */
async function verifyDomain(database: Database, tenantId: string): Promise<void> {
  const now = new Date();
  await database.collection<SsoDomainDoc>("sso_domains").insertOne({
    _id: newId(),
    tenantId,
    domain: "example.com",
    challenge: "x",
    slot: 0,
    revision: 0,
    active: true,
    verified: true,
    verifiedAt: now,
    createdBy: "bench",
    createdAt: now,
  });
}

async function enable(server: Server, tenantId: string): Promise<Provider> {
  const headers = { "content-type": "application/json", origin: server.url };
  const signedIn = await fetch(`${server.url}/api/auth/sign-in`, {
    method: "POST",
    headers,
    body: JSON.stringify({ email: "bench@example.com", password: "a long enough password" }),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const enabled = await fetch(`${server.url}/api/tenants/${tenantId}/scim`, {
    method: "POST",
    headers: { ...headers, cookie },
  });
  if (!enabled.ok) throw new Error(`Enabling SCIM failed: ${await enabled.text()}`);
  return ((await enabled.json()) as { data: Provider }).data;
}

async function send({ baseUrl, token }: Provider, path: string, body?: object): Promise<string> {
  const response = await fetch(baseUrl + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

/** Creates the users; all but the last one are active, since the owner is a member too. */
async function provision(provider: Provider): Promise<number> {
  const started = performance.now();
  let next = 0;
  const work = async () => {
    for (let n = next++; n < users; n = next++) {
      const address = `person-${n}@example.com`;
      await send(provider, "/Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: address,
        externalId: `00u${n}`,
        name: { givenName: "Person", familyName: String(n) },
        displayName: `Person ${n}`,
        emails: [{ primary: true, type: "work", value: address }],
        active: n < users - 1,
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return performance.now() - started;
}

/** Durations of reads at a steady pace. */
async function readSteadily(client: Client, path: string, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const running = new Set<Promise<void>>();
  while (!isOver()) {
    const started = performance.now();
    const read = client
      .send("GET", path)
      .then(() => void times.push(performance.now() - started))
      .finally(() => running.delete(read));
    running.add(read);
    await pause(paceMs);
  }
  await Promise.all(running);
  return times;
}

/** A page of the list against the query of its documents. Both read every part of the list in turn. */
async function listRow(provider: Provider, database: Database, tenantId: string): Promise<Row> {
  const plain = database.collection<{ _id: string; tenantId: string; present?: true }>("scim_users");
  const times = { list: [] as number[], plain: [] as number[] };
  for (let turn = -warmUp; turn < turns; turn++) {
    const skip = (Math.max(0, turn) * pageSize) % Math.max(users, pageSize);
    let started = performance.now();
    const page = JSON.parse(await send(provider, `/Users?startIndex=${skip + 1}&count=${pageSize}`)) as {
      Resources: unknown[];
    };
    if (turn >= 0) times.list.push(performance.now() - started);
    started = performance.now();
    const rows = await plain
      .find({ tenantId, present: true })
      .sort({ _id: 1 })
      .skip(skip)
      .limit(pageSize)
      .toArray();
    if (turn >= 0) times.plain.push(performance.now() - started);
    if (page.Resources.length !== rows.length) throw new Error("The list and the query differ.");
  }
  const [a, b] = [median(times.list), median(times.plain)];
  const note = `${a.toFixed(1)} ms against ${b.toFixed(1)} ms`;
  return row(`a page of ${pageSize} of ${users} users / a plain query`, a / b, "x", { most: 5 }, note);
}

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench-scim");
  const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
  try {
    const client = await signUp(server);
    const org = await client.send<{ id: string }>("POST", "/api/tenants", { name: "Many", slug: "many" });
    const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
      tenantId: org.id,
      name: "Read me",
      content: "A line.\n".repeat(50),
    });
    const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
    const database = await openDatabase(engine.uri, "svc");
    await verifyDomain(database, org.id);
    const provider = await enable(server, org.id);
    const path = `/api/skills/${skill.id}`;
    for (let warm = 0; warm < 300; warm++) await client.send("GET", path);
    const idleUntil = performance.now() + idleMs;
    const idle = await readSteadily(client, path, () => performance.now() > idleUntil);

    let tookMs = 0;
    const during = readSteadily(client, path, () => tookMs > 0);
    const cpu = await cpuTimeDuring(server, { idleMs, backgroundMs: 0 }, async () => {
      tookMs = await provision(provider).catch((error: unknown) => {
        tookMs = Infinity;
        throw error;
      });
    });
    const busy = await during;
    const p99 = (times: number[]) => percentile(times, 0.99);
    const note =
      `idle ${median(idle).toFixed(1)} (p99 ${p99(idle).toFixed(1)}) ms, concurrently ` +
      `${median(busy).toFixed(1)} (p99 ${p99(busy).toFixed(1)}) ms over ${busy.length} reads`;
    const cpuNote =
      `CPU time of a user and the reads meanwhile: service ${(cpu.serviceMs / users).toFixed(1)} ms, ` +
      `engines ${(cpu.enginesMs / users).toFixed(1)} ms`;
    const rows = [
      row(
        `${users} users created by ${concurrency} requests at once`,
        tookMs / 1000,
        "s",
        { most: 120 },
        cpuNote,
      ),
      row("a read's p99 during that / idle", p99(busy) / p99(idle), "x", { most: 2 }, note),
      await listRow(provider, database, org.id),
    ];
    await database.close();
    await engine.stop();
    reportRows(rows);
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
}

await main();
