/**
 * Start and pages of two installations, of which one is ten times as large: 20,000 and 200,000 skills with 60,000 and
 * 1,000,000 versions, 2,000 and 20,000 members, and 2,000 and 20,000 folders.
 *
 * `npm run bench -- scale [--skills=20000] [--many=200000] [--turns=60]`
 */
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { openStorage, type Storage } from "../storage/index.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../test/support/server.ts";
import { median, percentile, reportRows, row, type Row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp, type Client } from "./http/client.ts";
import { ownResidentMb } from "./http/processes.ts";
import { words } from "./http/seed.ts";
import { emptyInstallation, grow, type Installation, type InstallationSize } from "./scale/generate.ts";

const options = readOptions("scale", {});
const { skills, many, turns } = options;
const slug = "large";
/** Requests before those that are measured: the first ones read indexes and trees into memory. */
const warmUp = 5;
const maxPageMs = 300;
const maxGrowth = 2.5;
/** A page that takes less is not compared with itself: the times of the machine differ by as much. */
const comparedMs = 10;

const sizeOf = (count: number, versionsPerSkill: number): InstallationSize => ({
  skills: count,
  versions: count * versionsPerSkill,
  members: count / 10,
});

/** Addresses by what they are, for the turn `n`. */
const pages: Record<string, (n: number, made: Installation) => string> = {
  "list of an organization": () => `/api/skills?tenant_id=${slug}&limit=50`,
  "library, by downloads": () => `/api/search?tenant=${slug}&sort=downloads&limit=50`,
  "list of a folder": (n, { organizations: [large] }) =>
    `/api/skills?tenant_id=${slug}&folder_id=${large!.folders[n % large!.folders.length]!._id}&limit=50`,
  "catalog, by downloads": () => "/api/search?scope=public&sort=downloads&limit=50",
  "search in everything": (n) => `/api/search?limit=20&query=${queryOf(n)}`,
  "search in an organization": (n) => `/api/search?tenant=${slug}&limit=20&query=${queryOf(n)}`,
  folders: () => `/api/tenants/${slug}/folders?parent_id=root`,
  members: () => `/api/tenants/${slug}/members?limit=50`,
  "members by a name": (n) => `/api/tenants/${slug}/members?limit=50&query=person-${n}`,
  "an organization": () => `/api/tenants/${slug}`,
  "own organizations": () => "/api/tenants",
  analytics: () => `/api/tenants/${slug}/analytics`,
  "what needs attention": () => `/api/tenants/${slug}/attention`,
  "audit log": () => `/api/tenants/${slug}/audit-log?limit=50`,
  "admin: organizations": () => "/api/admin/organizations?limit=50",
  "admin: accounts": () => "/api/admin/users?limit=50",
  "admin: accounts by a name": (n) => `/api/admin/users?limit=50&query=person-${n}`,
  "admin: health": () => "/api/admin/health",
  "admin: queues": () => "/api/admin/queues",
  "admin: metrics": () => "/api/admin/metrics",
  "admin: connections": () => "/api/admin/connections?limit=50",
  "admin: audit log": () => "/api/admin/audit-log?limit=50",
};

/** Five words, of which most are rare. */
const queryOf = (n: number) =>
  Array.from({ length: 5 }, (_, i) => words[(n * 31 + i * 397) % words.length]).join("%20");

async function timesOf(client: Client, made: Installation): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (const [name, addressOf] of Object.entries(pages)) {
    const ofPage: number[] = [];
    for (let n = -warmUp; n < turns; n++) {
      const started = performance.now();
      await client.send("GET", addressOf(n + warmUp, made));
      if (n >= 0) ofPage.push(performance.now() - started);
    }
    times.set(name, ofPage);
  }
  return times;
}

interface Measured {
  startMs: number;
  residentMb: number;
  times: Map<string, number[]>;
}

const dataDir = temporaryFolder("bench-scale");
const start = (): Promise<Server> =>
  startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });

async function withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
  const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
  try {
    const storage = await openStorage({ url: engine.uri, database: "svc" });
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  } finally {
    await engine.stop();
  }
}

async function growTo(made: Installation, size: InstallationSize): Promise<void> {
  const started = performance.now();
  await withStorage((storage) => grow(storage, made, size));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.error(`wrote ${size.skills} skills and ${size.versions} versions in ${seconds} s`);
}

/** Times, and the memory of a process that has started on the installation. */
async function measure(client: Omit<Client, "base">, made: Installation): Promise<Measured> {
  const server = await start();
  try {
    const { pid, startMs } = server;
    const times = await timesOf(callerOf(server, client.token), made);
    return { startMs, times, residentMb: ownResidentMb(pid) };
  } finally {
    await server.stop();
  }
}

/** The same caller at another port. */
const callerOf = (server: Server, token: string): Client => ({
  userId: "",
  base: server.url,
  token,
  cookie: "",
  async send<T>(method: string, path: string) {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    const answer = (await response.json()) as { success: boolean; data: T; error?: string };
    if (!answer.success) throw new Error(`${method} ${path}: ${answer.error}`);
    return answer.data;
  },
});

function rowsOf(usual: Measured, large: Measured): Row[] {
  const ratioNote = (before: string, after: string) => `${before} and ${after}`;
  const rows = [...large.times].flatMap(([name, times]) => {
    const before = percentile(usual.times.get(name)!, 0.95);
    const after = percentile(times, 0.95);
    const note = `p95 ${before.toFixed(1)} ms and ${after.toFixed(1)} ms, median ${median(times).toFixed(1)} ms`;
    return [
      row(`${name}: p95`, after, "ms", { most: maxPageMs }, note),
      row(`${name}: p95, ten times as many`, after / Math.max(comparedMs, before), "x", { most: maxGrowth }),
    ];
  });
  return [
    ...rows,
    row(
      "start, ten times as many",
      large.startMs / usual.startMs,
      "x",
      { most: maxGrowth },
      ratioNote(`${usual.startMs} ms`, `${large.startMs} ms`),
    ),
    row(
      "memory of the process, ten times as many",
      large.residentMb / usual.residentMb,
      "x",
      { most: maxGrowth },
      ratioNote(`${usual.residentMb.toFixed(0)} MB`, `${large.residentMb.toFixed(0)} MB`),
    ),
  ];
}

try {
  const first = await start();
  const client = await signUp(first, "owner");
  const { id } = await client.send<{ id: string }>("POST", "/api/tenants", { name: "Large", slug });
  await first.stop();
  const made = emptyInstallation({ id, slug }, client.userId);
  await growTo(made, sizeOf(skills, 3));
  const usual = await measure(client, made);
  await growTo(made, sizeOf(many, 5));
  const large = await measure(client, made);
  reportRows(rowsOf(usual, large));
} finally {
  removeFolder(dataDir);
}
