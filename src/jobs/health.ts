/** System health: engines, disks, git and versions, each with its own error. */
import { access, statfs } from "node:fs/promises";
import path from "node:path";
import { withinTime } from "../../contract/concurrency/within-time.ts";
import { maxConditions, type HealthPayload } from "../../contract/payloads/service/jobs.ts";
import { gitVersion } from "../../repos/native-git.ts";
import { hasProxy } from "../../repos/transport/connections.ts";
import { readRedisServer } from "../../storage/redis.ts";
import type { App } from "../app.ts";
import type { Config } from "../config.ts";
import { describeMismatch, findMismatch } from "../epoch/epoch.ts";
import { outboundProblem, publicAddresses } from "../oauth/document-support.ts";

const answerMs = 4000;
/** A disk with less of either is reported as nearly full. */
const leastFree = { bytes: 1024 ** 3, share: 0.05 };

export type Check = HealthPayload["database"];

export async function readHealth(app: App, version: string): Promise<HealthPayload> {
  const [database, queue, git, outbound, restore, disks, conditions, databaseVersion] = await Promise.all([
    checkDatabase(app),
    checkQueue(app),
    checkGit(app),
    checkOutbound(app),
    checkRestore(app),
    checkDisks(app),
    listConditions(app).catch(() => []),
    app.storage.database.version().catch(() => null),
  ]);
  return {
    checkedAt: app.now().toISOString(),
    database,
    queue,
    git,
    outbound,
    restore,
    disks,
    conditions,
    versions: { service: version, node: process.version, database: databaseVersion },
    process: {
      uptimeSeconds: Math.round(process.uptime()),
      memoryBytes: process.memoryUsage.rss(),
    },
  };
}

export const checkDatabase = ({ storage, config }: Pick<App, "storage" | "config">) =>
  checked(async () => {
    const { version, topology, writeConcern = "of the server" } = await storage.database.describe();
    if (config.mongodbUrl === undefined) return `MongoDB ${version}, embedded`;
    return `MongoDB ${version}, a server, ${topology}, write concern ${writeConcern}`;
  });

export const checkQueue = ({ queue, config }: Pick<App, "queue" | "config">) =>
  checked(async () => {
    await queue.counts();
    if (queue.kind !== "redis") return "embedded";
    const { redisUrl } = config;
    const server = redisUrl === undefined ? undefined : await readRedisServer(redisUrl, answerMs);
    if (!server) return "Redis";
    const { version, evictionPolicy } = server;
    if (evictionPolicy === "noeviction") return `Redis ${version}, noeviction`;
    throw new Error(
      `Redis ${version} removes jobs when its memory is full (${evictionPolicy}): set its maxmemory-policy to ` +
        "noeviction.",
    );
  });

export const checkGit = ({ config }: Pick<App, "config">) =>
  checked(async () => {
    const found = await gitVersion({ program: config.gitProgram, searchPath: config.searchPath });
    if (found === undefined)
      throw new Error("No git program was found: clones and the nightly repack are not available.");
    return `git ${found}`;
  });

/** Whether the configuration names something outside, so that a service without outbound requests is not intended. */
const needsPublicHosts = ({ github }: Config) => github.app !== undefined || hasProxy(publicAddresses[0]!);

export const checkOutbound = (app: Pick<App, "config" | "now">) =>
  checked(async () => {
    const { clientDocuments } = app.config.oauth;
    if (clientDocuments !== undefined) return `Not checked: OAUTH_CLIENT_DOCUMENTS is ${clientDocuments}`;
    const problem = await outboundProblem(app);
    if (problem === undefined) return "Public hosts respond";
    const text = `Public hosts can't be reached, so programs have to register to sign in: ${problem}.`;
    if (needsPublicHosts(app.config)) throw new Error(text);
    return text;
  });

export const checkRestore = (app: Pick<App, "storage" | "repos" | "now">) =>
  checked(async () => {
    const mismatch = await findMismatch(app);
    if (mismatch) throw new Error(describeMismatch(mismatch));
    return "The database and the Git root belong together.";
  });

export const checkDisks = ({ config }: Pick<App, "config">) =>
  Promise.all([diskOf("data", config.dataDir), diskOf("git", config.gitRoot)]);

/** Conditions that the job `maintenance.watch-conditions` found last. */
async function listConditions({ storage }: App): Promise<HealthPayload["conditions"]> {
  const applying = await storage.operatorConditions.listApplying(maxConditions);
  return applying.flatMap(({ _id: condition, text, since }) =>
    since ? [{ condition, text, since: since.toISOString() }] : [],
  );
}

async function checked(ask: () => Promise<string>): Promise<Check> {
  const startedAt = performance.now();
  try {
    const detail = await withinTime(ask(), answerMs, () => {
      throw new Error(`No answer within ${answerMs / 1000} s.`);
    });
    return { ok: true, detail, ms: Math.round(performance.now() - startedAt) };
  } catch (error) {
    return { ok: false, detail: (error as Error).message.slice(0, 300), ms: null };
  }
}

async function diskOf(name: "data" | "git", folder: string): Promise<HealthPayload["disks"][number]> {
  try {
    const { bavail, blocks, bsize } = await statfs(await nearest(folder));
    const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
    const ok = freeBytes >= leastFree.bytes && freeBytes >= totalBytes * leastFree.share;
    return { name, ok, freeBytes, totalBytes };
  } catch {
    return { name, ok: false, freeBytes: null, totalBytes: null };
  }
}

/** A directory that does not exist yet will be on the disk of its parent. */
async function nearest(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  const around = path.dirname(folder);
  return isThere || around === folder ? folder : nearest(around);
}
