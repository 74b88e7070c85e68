/**
 * A thousand personal workspaces in the background: how long they take, and their effect on concurrent reads. The p99
 * of a read at a steady pace while they are made is compared with the same reads before, in one run.
 *
 * `npm run bench -- workspaces [--members=1000]`
 */
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { newId, openDatabase, type Database } from "../storage/database.ts";
import type { MembershipDoc } from "../storage/memberships/memberships.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { median, percentile, reportRows, row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";

const { members, warmUp, idleMs } = readOptions("workspaces", {});
/** A read every so often, whether or not the one before has been answered. */
const paceMs = 10;

async function seedMembers(database: Database, org: { id: string; slug: string }): Promise<void> {
  const now = new Date();
  const people = Array.from({ length: members }, (_, n) => ({ userId: newId(), username: `person-${n}` }));
  await database.collection<{ _id: string }>("users").insertMany(
    people.map(({ userId, username }) => ({
      _id: userId,
      email: `${username}@example.com`,
      emailKey: `${username}@example.com`,
      username,
      name: username,
      passwordHash: "",
      isAdministrator: false,
      createdAt: now,
      updatedAt: now,
    })),
  );
  await database.collection<MembershipDoc>("memberships").insertMany(
    people.map(({ userId, username }) => ({
      _id: newId(),
      tenantId: org.id,
      tenantSlug: org.slug,
      tenantName: org.slug,
      userId,
      username,
      nameKeys: [username],
      role: "member",
      teamIds: [],
      revision: 0,
      active: true as const,
      createdAt: now,
    })),
  );
}

/** Reads at a steady pace until stopped; returns the duration of each read. */
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
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
  await Promise.all(running);
  return times;
}

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench-workspaces");
  const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
  try {
    const client = await signUp(server);
    const slug = "many-people";
    const org = await client.send<{ id: string }>("POST", "/api/tenants", { name: slug, slug });
    const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
      tenantId: org.id,
      name: "Read me",
      content: "A line.\n".repeat(50),
    });
    const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
    const database = await openDatabase(engine.uri, "svc");
    await seedMembers(database, { id: org.id, slug });
    const path = `/api/skills/${skill.id}`;
    const base = `/api/tenants/${org.id}/personal-workspaces`;

    for (let warm = 0; warm < warmUp; warm++) await client.send("GET", path);
    const idleUntil = performance.now() + idleMs;
    const idle = await readSteadily(client, path, () => performance.now() > idleUntil);

    let tookMs = 0;
    const started = performance.now();
    await client.send("POST", `${base}/enable`, {});
    const during = readSteadily(client, path, () => tookMs > 0);
    for (;;) {
      const { counts } = await client.send<{ counts: { provisioned: number; failed: number } }>("GET", base);
      if (counts.failed > 0) throw new Error(`${counts.failed} workspaces failed`);
      if (counts.provisioned >= members) break;
      if (performance.now() - started > 300_000) throw new Error(`${counts.provisioned} after five minutes`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    tookMs = performance.now() - started;
    const busy = await during;
    await database.close();
    await engine.stop();

    const p99 = (times: number[]) => percentile(times, 0.99);
    const note =
      `idle ${median(idle).toFixed(1)} (p99 ${p99(idle).toFixed(1)}) ms, concurrently ` +
      `${median(busy).toFixed(1)} (p99 ${p99(busy).toFixed(1)}) ms over ${busy.length} reads`;
    const rows = [
      row(`${members} workspaces provisioned`, tookMs / 1000, "s", { most: 60 }),
      row("a read's p99 under load / idle", p99(busy) / p99(idle), "x", { most: 2 }, note),
    ];
    reportRows(rows);
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
}

await main();
