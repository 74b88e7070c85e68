/**
 * Idle streams of changes on one process, each of another person: its memory, its processor time, and the time after
 * which all of them know of a change.
 *
 * `npm run bench -- streams [--streams=19000] [--seconds=30]`
 *
 * Both processes need an open file for each stream: many systems permit 20,000 in all (`ulimit -Hn`).
 */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { mapLimit } from "../contract/concurrency/map-limit.ts";
import { startEmbeddedMongo } from "../engines/mongo.ts";
import { openLog } from "../src/log.ts";
import { hashSecret } from "../src/secrets.ts";
import { newId } from "../storage/database.ts";
import { openStorage, type Storage } from "../storage/index.ts";
import { removeFolder, startServer, temporaryFolder } from "../test/support/server.ts";
import { until } from "../test/support/until.ts";
import { reportRows, row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";
import { signUp } from "./http/client.ts";
import { ownResidentMb } from "./http/processes.ts";
import { cpuMsOf } from "./publish/cpu-time.ts";
import { emptyInstallation, grow } from "./scale/generate.ts";

const options = readOptions("streams", {});
const slug = "streams";

/** Sessions of the members of an organization: the values of their cookies. */
async function seedSessions(storage: Storage, tenantId: string): Promise<string[]> {
  const members = await storage.memberships.listAfter(tenantId, "", options.streams + 1);
  const [now, dayMs] = [Date.now(), 86_400_000];
  return mapLimit(members.slice(0, options.streams), 50, async ({ userId }) => {
    const secret = `${userId}${newId()}`.slice(0, 43);
    const value = secret.padEnd(43, "0");
    await storage.sessions.insert({
      _id: newId(),
      userId,
      secretHash: hashSecret(value),
      epoch: 0,
      client: "bench",
      methods: ["password"],
      createdAt: new Date(now),
      lastSeenAt: new Date(now),
      expiresAt: new Date(now + dayMs),
    });
    return value;
  });
}

/** A stream as the socket of a browser has it. `onText` receives what it is sent. */
function openStream(url: URL, cookie: string, onText: (text: string) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.once("data", (text: string) => {
      if (text.startsWith("HTTP/1.1 200")) resolve(socket);
      else reject(new Error(text.slice(0, 300)));
    });
    socket.on("data", onText);
    socket.write(`GET /api/events HTTP/1.1\r\nhost: ${url.host}\r\ncookie: ${cookie}\r\n\r\n`);
  });
}

const dataDir = temporaryFolder("bench-streams");
const server = await startServer({ dataDir, env: { LOG_LEVEL: "warn", RATE_LIMITS: "false" } });
const engine = await startEmbeddedMongo({ dataDir: `${dataDir}/mongodb`, log: openLog("silent") });
const storage = await openStorage({ url: engine.uri, database: "svc" });
const sockets: Socket[] = [];
try {
  const owner = await signUp(server, "owner");
  const { id } = await owner.send<{ id: string }>("POST", "/api/tenants", { name: "Streams", slug });
  const none = { skills: 0, versions: 0 };
  await grow(storage, emptyInstallation({ id, slug }, owner.userId), { ...none, members: options.streams });
  const values = await seedSessions(storage, id);
  const [before, url] = [ownResidentMb(server.pid), new URL(server.url)];
  const cookieName = owner.cookie.split("=")[0]!;
  let informed = 0;
  const opened = performance.now();
  await mapLimit(values, 50, async (value) => {
    let isInformed = false;
    const socket = await openStream(url, `${cookieName}=${value}`, (text) => {
      if (isInformed || !text.includes("event: change")) return;
      isInformed = true;
      informed++;
    });
    sockets.push(socket);
  });
  const openMs = performance.now() - opened;
  await sleep(options.idleMs);
  const cpuMs = cpuMsOf(server.pid);
  await sleep(options.seconds * 1000);
  const share = (cpuMsOf(server.pid) - cpuMs) / options.seconds / 1000;
  const memory = ownResidentMb(server.pid);
  const started = performance.now();
  await owner.send("POST", `/api/tenants/${slug}/teams`, { name: "Known to all" });
  await until("all listeners know of the change", () => informed === values.length);
  const changeMs = performance.now() - started;
  const note = `${before.toFixed(0)} MB without streams; opened in ${(openMs / 1000).toFixed(1)} s`;
  reportRows([
    row(`memory with ${values.length} streams`, memory, "MB", { most: 1024 }, note),
    row("share of a core while they are idle", share * 100, "%", { most: 10 }),
    row("time until all know of a change", changeMs, "ms", {}),
  ]);
} finally {
  for (const socket of sockets) socket.destroy();
  await storage.close();
  // The end of thousands of streams may take longer than that of a process may.
  await server.kill("SIGTERM");
  await engine.stop();
  removeFolder(dataDir);
}
