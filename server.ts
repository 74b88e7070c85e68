/** The process entry: opens the engines and the app, then serves HTTP, runs workers, or both. */
import { mkdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import closeWithGrace from "close-with-grace";
import { DataDirHeldError, lockDataDir } from "./engines/data-dir-lock.ts";
import { EngineError } from "./engines/engine-error.ts";
import { startEmbeddedMongo } from "./engines/mongo.ts";
import { createApi } from "./src/api.ts";
import { ensureSetupLink } from "./src/auth/setup.ts";
import { readConfig, type Config } from "./src/config.ts";
import type { Health } from "./src/http/health.ts";
import { openMetrics, type Metrics } from "./src/http/metrics.ts";
import { openLog, type Log } from "./src/log.ts";
import { openApp } from "./src/open.ts";
import { openQueue } from "./src/queue/index.ts";
import { startWorkers } from "./workers/start.ts";

const roles = ["all", "api", "worker"] as const;
type Role = (typeof roles)[number];

/** How long an orderly end may take before the process just ends. */
const closeDeadlineMs = 9000;
const drainMs = 200;

const version = (
  JSON.parse(readFileSync(new URL(packagePath(), import.meta.url), "utf8")) as { version: string }
).version;

/** package.json lies beside this file in the source tree, and one folder up in the built one. */
function packagePath(): string {
  return import.meta.url.endsWith(".ts") ? "./package.json" : "../package.json";
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { role: { type: "string", default: "all" } }, strict: true });
  const role = roles.find((name) => name === values.role);
  if (!role) throw new UsageError(`--role is one of ${roles.join(", ")}, not "${values.role}".`);
  await serve(role, readConfig());
}

async function serve(role: Role, config: Config): Promise<void> {
  const log = openLog(config.logLevel);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const closers: (() => Promise<unknown> | void)[] = [];
  const health: Health = { isDraining: false, checks: {} };
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  closeWithGrace({ delay: closeDeadlineMs, logger: false }, async ({ err, signal }) => {
    if (err) log.fatal({ error: err }, "the process ends on an unexpected error");
    else log.info({ signal }, "closing");
    health.isDraining = true;
    await closeAll();
    log.flush();
  });

  try {
    if (role === "all") closers.push(await lockDataDir(config.dataDir, "all"));
    const mongodbUrl = config.mongodbUrl ?? (await openMongo(config, log, closers));
    const opened = await openApp({
      config,
      log,
      mongodbUrl,
      openQueue: () =>
        openQueue(
          config.redisUrl ? { redisUrl: config.redisUrl } : { dataDir: `${config.dataDir}/queue` },
          log,
        ),
    });
    closers.push(() => opened.close());
    const { app } = opened;
    health.checks = { database: () => app.storage.ping(), queue: () => app.queue.counts() };

    if (role !== "api") {
      const workers = await startWorkers(app);
      closers.push(() => workers.close());
    }
    let metrics: Metrics | undefined;
    if (config.metricsPort !== undefined) {
      metrics = openMetrics(() => app.queue.counts());
      const page = await metrics.listen(config.host, config.metricsPort);
      closers.push(() => closeServer(page));
    }
    if (role !== "worker") {
      const api = createApi(app, { health, version, metrics });
      const server = createServer({ requestTimeout: 300_000, headersTimeout: 20_000 }, api.callback());
      await listen(server, config);
      closers.push(async () => {
        await new Promise((resolve) => setTimeout(resolve, drainMs));
        await closeServer(server);
      });
      announce(config, await ensureSetupLink(app));
    }
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function openMongo(
  config: Config,
  log: Log,
  closers: (() => Promise<unknown> | void)[],
): Promise<string> {
  log.info(
    "using the embedded MongoDB engine (SSPL; for trials, development and small single-machine installs): set MONGODB_URL for production",
  );
  const engine = await startEmbeddedMongo({
    dataDir: `${config.dataDir}/mongodb`,
    log,
  });
  closers.push(() => engine.stop());
  return engine.uri;
}

async function listen(server: Server, config: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.port, config.host, resolve);
  });
  if (config.port !== 0) return;
  const { port } = server.address() as AddressInfo;
  config.baseUrl = config.baseUrl.replace(/:0$/, `:${port}`);
}

/** Ends idle connections at once, and the others when their answer is out. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), closeDeadlineMs / 2).unref();
  });
}

function announce(config: Config, setupLink: string | undefined): void {
  const lines = ["", `  Serving at ${config.baseUrl}   (API: ${config.baseUrl}/docs)`];
  if (setupLink) lines.push("", "  This service is empty. Make the first account:", `    ${setupLink}`);
  const api = config.baseUrl === "http://127.0.0.1:3000" ? "" : `SVC_API_URL=${config.baseUrl} `;
  lines.push(
    "",
    "  Then publish a skill and install it:",
    `    ${api}./bin/svc login`,
    `    ${api}./bin/svc publish ./my-skill`,
    `    ${api}./bin/svc install my-skill --target claude --project`,
    "",
    "  Ctrl-C ends everything.",
    "",
  );
  console.log(lines.join("\n"));
}

class UsageError extends Error {}

main().catch((error: unknown) => {
  // Known troubles are one sentence; anything else is a bug and shows where it is.
  const known =
    error instanceof UsageError || error instanceof DataDirHeldError || error instanceof EngineError;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE")
    console.error(`Cannot serve: the port is taken. Set PORT to a free one. (${(error as Error).message})`);
  else
    console.error(
      known || !(error instanceof Error) || /configuration/.test(error.message)
        ? String((error as Error).message)
        : error,
    );
  process.exitCode = 1;
  process.exit();
});
