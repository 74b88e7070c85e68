/**
 * The service as several machines run it: API and worker processes of the built service on one MongoDB engine, one
 * Redis server and one Git root, behind nginx with the settings of `deploy/nginx.conf`, without TLS.
 */
import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { openStorage, type Storage } from "../../storage/index.ts";
import { reserveProxy } from "../support/proxies/deployed.ts";
import { freePorts } from "../support/proxies/program.ts";
import { startTestRedis, type TestRedis } from "../support/redis.ts";
import { root } from "../support/root.ts";
import { removeFolder, startServer, temporaryFolder, type Server } from "../support/server.ts";
import { until } from "../support/until.ts";

export interface Node {
  readonly name: string;
  readonly role: "api" | "worker";
  /** Its own address; that of its health for workers. */
  readonly url: string;
  isRunning(): boolean;
  /** Kills it with -9, and resolves once it is gone. */
  kill(): Promise<void>;
  /** Ends it as an orchestrator does, with its drain. Fails if it does not end in order. */
  stop(): Promise<void>;
  /** Starts it, and resolves once it is ready. */
  start(): Promise<void>;
  output(): string;
}

export interface Cluster {
  /** Address of the service, at nginx. */
  readonly url: string;
  readonly apis: readonly Node[];
  readonly workers: readonly Node[];
  readonly setupLink: string;
  readonly gitRoot: string;
  /** Folder of repositories that organizations connect. */
  readonly repositories: string;
  readonly redis: TestRedis;
  /** For records that only mails or name servers would make. */
  readonly storage: Storage;
  /** Kills the database's process with -9; it is started again at once. */
  killEngine(): Promise<void>;
  /** A further API process that nginx does not know. */
  addApi(env: Record<string, string>): Promise<Node>;
  close(): Promise<void>;
}

export interface ClusterOptions {
  apis?: number;
  workers?: number;
  drainSeconds: number;
  env?: Record<string, string>;
}

/** nginx with the settings of the file, on a plain port; it names the process that answered. */
const withoutTls = (text: string) =>
  text
    .replaceAll(/^ *ssl_.*\n/gm, "")
    .replace("listen 443 ssl http2;", "listen 443;")
    .replace("proxy_pass http://svc;", "$&\n    add_header x-upstream $upstream_addr always;");

export async function startCluster({
  apis = 3,
  workers = 2,
  drainSeconds,
  env = {},
}: ClusterOptions): Promise<Cluster> {
  const folder = temporaryFolder("cluster");
  const [gitRoot, repositories] = [path.join(folder, "git"), path.join(folder, "repositories")];
  mkdirSync(repositories);
  const closers: (() => Promise<unknown>)[] = [async () => removeFolder(folder)];
  const close = async () => {
    for (const end of closers.toReversed()) await end();
  };
  try {
    const log = { info() {}, warn() {}, error() {} };
    const cacheDir = path.join(root, "node_modules/.cache/mongo-engine");
    const engine = await startEmbeddedMongo({ dataDir: path.join(folder, "mongodb"), cacheDir, log });
    closers.push(() => engine.stop());
    const redis = await startTestRedis(folder);
    closers.push(() => redis.stop());
    const database = "cluster";
    const proxy = await reserveProxy("nginx", { isPlain: true });
    const shared = {
      LOG_LEVEL: "warn",
      BASE_URL: proxy.url,
      TRUST_PROXY: "1",
      MONGODB_URL: engine.uri,
      MONGODB_DATABASE: database,
      REDIS_URL: redis.redisUrl,
      GIT_ROOT: gitRoot,
      LOCAL_REPOSITORIES: repositories,
      SECRET_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
      DRAIN_SECONDS: String(drainSeconds),
      RATE_LIMITS: "false",
      ...env,
    };
    const ports = await freePorts(apis + workers);
    const all = ports.map((port, at) => {
      const role = at < apis ? "api" : "worker";
      return openNode({ name: `${role}-${at + 1}`, role, port, folder, env: shared });
    });
    closers.push(() => Promise.all(all.map((node) => node.kill())));
    // The first one creates the indexes, for which the others would wait.
    const [first, ...others] = all as [Node, ...Node[]];
    await first.start();
    const setupLink = /\S+\/setup\?token=\S+/.exec(first.output())![0];
    await Promise.all(others.map((node) => node.start()));
    const options = { folder: path.join(folder, "nginx"), targets: ports.slice(0, apis), edit: withoutTls };
    const { close: closeProxy } = await proxy.start(options);
    closers.push(closeProxy);
    const storage = await openStorage({ url: engine.uri, database });
    closers.push(() => storage.close());
    return {
      url: proxy.url,
      apis: all.slice(0, apis),
      workers: all.slice(apis),
      setupLink,
      gitRoot,
      repositories,
      redis,
      storage,
      async killEngine() {
        const { pid } = engine;
        process.kill(pid!, "SIGKILL");
        await until("another process of the engine", () => engine.pid !== undefined && engine.pid !== pid);
      },
      async addApi(more) {
        const [port] = (await freePorts(1)) as [number];
        const node = openNode({
          name: `api-${port}`,
          role: "api",
          port,
          folder,
          env: { ...shared, ...more },
        });
        closers.push(() => node.kill());
        await node.start();
        return node;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Kills with -9, each with the start that follows, by kind. */
export function killsOf(cluster: Cluster): Record<string, () => Promise<void>> {
  const restart = async (nodes: readonly Node[]) => {
    const node = nodes[randomInt(nodes.length)]!;
    await node.kill();
    await node.start();
  };
  return {
    api: () => restart(cluster.apis),
    worker: () => restart(cluster.workers),
    async Redis() {
      await cluster.redis.stop();
      await sleep(2000);
      await cluster.redis.restart();
    },
    database: () => cluster.killEngine(),
  };
}

interface NodeOptions {
  name: string;
  role: "api" | "worker";
  port: number;
  folder: string;
  env: Record<string, string>;
}

function openNode({ name, role, port, folder, env }: NodeOptions): Node {
  let server: Server | undefined;
  const url = `http://127.0.0.1:${port}`;
  // A worker has health on the port of its metrics only.
  const own: Record<string, string> = { [role === "api" ? "PORT" : "METRICS_PORT"]: String(port) };
  return {
    name,
    role,
    url,
    isRunning: () => server?.isRunning() === true,
    async kill() {
      await server?.kill("SIGKILL");
    },
    async stop() {
      await server?.stop();
    },
    async start() {
      server = await startServer({
        dataDir: path.join(folder, name),
        env: { ...env, ...own },
        args: ["--role", role],
        ownUrl: url,
      });
    },
    output: () => server?.output() ?? "",
  };
}
