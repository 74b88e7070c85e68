/**
 * The service over HTTP against the layers below it: ratios only, both sides in alternating blocks of one run, so that
 * a busy machine slows them alike. `peers.ts` compares it with other servers.
 *
 * `npm run bench -- http [--skills=20000] [--only=publish,package,search,start]`
 */
import { createHash, randomBytes } from "node:crypto";
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { writeZip } from "../repos/archive/index.ts";
import { openSkillStore } from "../repos/store/index.ts";
import { openLog } from "../src/log.ts";
import { openDatabase } from "../storage/database.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../test/support/server.ts";
import { median, percentile, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";
import { ownResidentMb } from "./http/processes.ts";
import { seedSkills, words } from "./http/seed.ts";

const scenarios = ["publish", "package", "search", "start"] as const;
const options = readOptions("http", { only: scenarios.join() });
const isAsked = (scenario: (typeof scenarios)[number]) => options.only.split(",").includes(scenario);

/** Milliseconds per publish, over `count` publishes one after another. */
async function publishing(count: number, publish: (n: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < count; n++) await publish(n);
  return (performance.now() - started) / count;
}

async function publishRows(client: Client, dataDir: string): Promise<Row[]> {
  const tenant = await client.send<{ id: string }>("POST", "/api/tenants", {
    name: "Writes",
    slug: "writes",
  });
  const skills: string[] = [];
  for (let n = 0; n < 16; n++) {
    const made = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
      tenantId: tenant.id,
      name: `Write ${n}`,
      content: "first\n",
    });
    skills.push(made.skill.id);
  }
  const store = openSkillStore({ root: `${dataDir}/git-only`, committerHost: "localhost" });
  const heads = new Map<string, string>();
  const body = () => ({ content: `${randomBytes(16).toString("hex")}\n${"A line.\n".repeat(100)}` });
  const pick = (n: number) => skills[n % skills.length]!;
  const ours = (n: number) => client.send("POST", `/api/skills/${pick(n)}/versions`, body());
  const git = async (n: number) => {
    const skillId = pick(n);
    const parent = heads.get(skillId);
    const files = [{ path: "SKILL.md", mode: "100644" as const, data: Buffer.from(body().content) }];
    const author = { name: "bench", email: "bench@localhost" };
    const written = await store.writeCommit(
      { tenantId: "0".repeat(24), skillId },
      {
        parent: parent || undefined,
        source: { kind: "files", files },
        author,
        at: new Date(),
        message: "m",
        trailers: {},
      },
    );
    heads.set(skillId, written.oid);
    await store.advanceRefs({ tenantId: "0".repeat(24), skillId }, async () => ({
      main: written.oid,
      head: written.oid,
    }));
  };
  const { publishes, blocks } = options;
  for (const one of [ours, git]) await publishing(publishes, one);
  const figures: [number, number][] = [];
  for (let block = 0; block < blocks; block++)
    figures.push([await publishing(publishes, ours), await publishing(publishes, git)]);
  const [a, b] = [0, 1].map((index) => median(figures.map((figure) => figure[index]!)));
  const note = `${a!.toFixed(1)} ms, Git alone ${b!.toFixed(1)}`;
  const ratio = median(figures.map(([x, y]) => x / y));
  await store.close();
  return [row("one-file publish, time / Git layer alone", ratio, "x", { most: 3 }, note)];
}

async function searchRows(client: Client, dataDir: string, count: number): Promise<Row[]> {
  const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
  const database = await openDatabase(engine.uri, "svc");
  const tenant = await client.send<{ id: string }>("POST", "/api/tenants", { name: "Many", slug: "many" });
  const ids = await seedSkills(database, tenant, count);
  const skills = database.collection<{ _id: string }>("skills");
  const timeOf = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const times = {
    find: [] as number[],
    list: [] as number[],
    explore: [] as number[],
    search: [] as number[],
    common: [] as number[],
  };
  for (let n = 0; n < options.searches; n++) {
    times.find.push(await timeOf(() => skills.findOne({ _id: ids[(n * 7919) % ids.length]! })));
    times.list.push(await timeOf(() => client.send("GET", `/api/skills?tenant_id=${tenant.id}&limit=50`)));
    times.explore.push(await timeOf(() => client.send("GET", "/api/explore?limit=50&sort=downloads")));
    times.search.push(
      await timeOf(() => client.send("GET", `/api/explore?limit=20&query=${words[(n * 31) % words.length]}`)),
    );
    times.common.push(await timeOf(() => client.send("GET", "/api/explore?limit=20&query=skill")));
  }
  await database.close();
  await engine.stop();
  const base = median(times.find);
  const p95 = (name: "list" | "explore" | "search" | "common", title: string, bound: { most?: number }) =>
    row(
      title,
      percentile(times[name], 0.95) / base,
      "x",
      bound,
      `p95 ${percentile(times[name], 0.95).toFixed(1)} ms, findOne ${base.toFixed(2)} ms`,
    );
  return [
    p95("list", `list 50 of ${count} skills, p95 / findOne`, { most: 10 }),
    p95("explore", `catalog page of ${count} skills, p95 / findOne`, { most: 10 }),
    p95("search", `search for a word among ${count} skills, p95 / findOne`, { most: 10 }),
    p95("common", `search for a word that every skill has, p95 / findOne`, {}),
  ];
}

async function packageRows(client: Client, server: Server): Promise<Row[]> {
  const tenant = await client.send<{ id: string }>("POST", "/api/tenants", { name: "Large", slug: "large" });
  const root = Buffer.from("---\nname: large\ndescription: A large package.\n---\n\nLarge.\n");
  const files = [
    { path: "SKILL.md", data: root },
    ...Array.from({ length: options.packageMb }, (_, n) => ({
      path: `data/${String(n).padStart(3, "0")}.bin`,
      data: randomBytes(1_000_000),
    })),
  ];
  const members = files.map(({ path, data }) => ({
    path,
    mode: "100644" as const,
    size: data.length,
    open: async () => data,
  }));
  const chunks: Buffer[] = [];
  for await (const chunk of writeZip(members) as AsyncIterable<Buffer>) chunks.push(chunk);
  const zip = Buffer.concat(chunks);
  const before = ownResidentMb(server.pid);
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, ownResidentMb(server.pid))), 20);
  const started = performance.now();
  const upload = await client.send<{ uploadId: string; url: string }>("POST", "/api/uploads", {
    size: zip.length,
    sha256: createHash("sha256").update(zip).digest("hex"),
  });
  await fetch(upload.url, {
    method: "PUT",
    headers: { authorization: `Bearer ${client.token}` },
    body: new Uint8Array(zip),
  });
  const { skill } = await client.send<{ skill: { id: string } }>("POST", "/api/skills", {
    tenantId: tenant.id,
    uploadId: upload.uploadId,
  });
  const published = performance.now();
  const response = await fetch(`${client.base}/api/skills/${skill.id}/package`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  const bytes = (await response.arrayBuffer()).byteLength;
  const ended = performance.now();
  clearInterval(timer);
  const note = `${(zip.length / 1e6).toFixed(0)} MB: publish ${((published - started) / 1000).toFixed(1)} s, download ${((ended - published) / 1000).toFixed(1)} s, ${bytes} bytes; from ${before.toFixed(0)} MB`;
  return [
    row(
      `memory of the server during a package of ${options.packageMb} MB`,
      peak - before,
      "MB",
      { most: 200 },
      note,
    ),
  ];
}

async function main(): Promise<void> {
  const dataDir = temporaryFolder("bench");
  const rows: Row[] = [];
  const add = (some: Row[]) => {
    for (const one of some) console.error(`${one.name}: ${one.value.toFixed(2)} ${one.unit} (${one.note})`);
    rows.push(...some);
  };
  const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
  try {
    const client = await signUp(server);
    if (isAsked("publish")) add(await publishRows(client, dataDir));
    if (isAsked("package")) add(await packageRows(client, server));
    if (isAsked("search")) add(await searchRows(client, dataDir, options.skills));
    if (isAsked("start")) {
      await server.stop();
      const again = await startServer({ dataDir, entry: "launcher" });
      add([row("start on a built tree", again.startMs / 1000, "s", { most: 4 }, "second start, to /readyz")]);
      await again.stop();
    }
  } finally {
    await server.stop();
    removeFolder(dataDir);
  }
  reportRows(rows);
}

await main();
