/** The process entry: opens the engines and the app, then serves HTTP, runs workers, or both; or runs one command. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import closeWithGrace from "close-with-grace";
import { DataDirLockedError, lockDataDir } from "./engines/data-dir-lock.ts";
import { EngineError } from "./engines/engine-error.ts";
import { startEmbeddedMongo } from "./engines/mongo.ts";
import { ensureSetupLink } from "./src/accounts/sign-up/setup.ts";
import { createApi } from "./src/api.ts";
import type { App, Stores } from "./src/app.ts";
import { type Closers, closeAll, closingOnError } from "./src/closers.ts";
import { describeConfig, readConfig, type Config } from "./src/config.ts";
import { seedDemo } from "./src/demo/seed.ts";
import { confirmRestoreByOperator } from "./src/epoch/epoch.ts";
import { ServiceError } from "./src/errors.ts";
import type { Health } from "./src/http/service/health.ts";
import { closeServer, createListener, listen } from "./src/http/service/listen.ts";
import { openLog, type Log } from "./src/log.ts";
import { resetFactorsByEmail } from "./src/mfa/reset.ts";
import { closeStores, openApp, openStores } from "./src/open.ts";
import {
  backUpTo,
  describeBackups,
  restoreFrom,
  type CommandResult,
} from "./src/operations/backup/commands.ts";
import { diagnose } from "./src/operations/doctor.ts";
import { claimKeyRing } from "./src/operations/keys/claim-key-ring.ts";
import { describeSealed } from "./src/operations/keys/count-sealed.ts";
import { forgetKey } from "./src/operations/keys/forget-key.ts";
import { requireFolder, requireFreePort, requireStore } from "./src/operations/preflight.ts";
import { repairStore } from "./src/operations/repair.ts";
import { requireRepositories, transferStore, type Transfer } from "./src/operations/transfer-store.ts";
import { exportTo, importFrom, requireCompleteImport } from "./src/operations/transfer.ts";
import { commandArguments, usage } from "./src/operations/usage.ts";
import { verifyStore, type VerifyReport } from "./src/operations/verify.ts";
import { openQueue } from "./src/queue/index.ts";
import { readRelease } from "./src/release.ts";
import { observeProcess } from "./src/tracing/observe-process.ts";
import { closeChildren } from "./workers/children.ts";
import { startWorkers } from "./workers/start.ts";
import { planInChild } from "./workers/sync/plan-in-child.ts";

const roles = ["all", "api", "worker"] as const;
type Role = (typeof roles)[number];

/** Time limit of an orderly end, after which the process ends. */
const closeDeadlineMs = 9000;
/** Time limit of the requests in progress when the listener closes. */
const closeServerMs = closeDeadlineMs / 2;
/** package.json and the samples are next to this file in the source tree, and one folder above the built file. */
const root = new URL(import.meta.url.endsWith(".ts") ? "./" : "../", import.meta.url);
const release = readRelease(root);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      role: { type: "string", default: "all" },
      demo: { type: "boolean", default: false },
      repair: { type: "boolean", default: false },
      to: { type: "string" },
      from: { type: "string" },
      keep: { type: "string" },
      point: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(usage);
  const role = roles.find((name) => name === values.role);
  if (!role) throw new UsageError(`--role is one of ${roles.join(", ")}, not "${values.role}".`);
  const [command, ...args] = positionals;
  if (values.repair && command !== "verify") throw new UsageError(usage);
  const { to, from } = values;
  const isTransfer = (to === undefined) !== (from === undefined);
  if (isTransfer !== (command === "transfer") || (to !== undefined && from !== undefined))
    throw new UsageError(usage);
  if (values.point !== undefined && command !== "restore") throw new UsageError(usage);
  const keep = Number(values.keep ?? 7);
  if (!Number.isInteger(keep) || keep < 1 || (values.keep !== undefined && command !== "backup"))
    throw new UsageError("--keep is a number of backups, at least 1, for backup.");
  if (command === undefined) return serve(role, readConfig(), values.demo);
  if (commandArguments.get(command) !== args.length) throw new UsageError(usage);
  if (command === "config") return printConfig();
  if (command === "backups") return print(await describeBackups(readConfig(), args[0]!));
  const transfer: Transfer | undefined = isTransfer
    ? { direction: to === undefined ? "from" : "to", store: (to ?? from)! }
    : undefined;
  const { repair: isRepair, point } = values;
  await runCommand(command, { args, isRepair, transfer, keep, point }, readConfig());
}

/** Prints each variable with its value and where that comes from. */
function printConfig(): void {
  for (const { name, value = "(unset)", origin } of describeConfig())
    console.log(`${name.padEnd(28)}  ${value}  (${origin})`);
}

async function serve(role: Role, config: Config, demo: boolean): Promise<void> {
  const log = openLog(config.logLevel);
  const closers: Closers = [];
  const draining = new AbortController();
  const health: Health = { release, isDraining: false, draining: draining.signal, checks: {} };
  const drainMs = config.drainSeconds * 1000;
  let isTold = false;
  closeWithGrace({ delay: drainMs + closeDeadlineMs, logger: false }, async ({ err, signal }) => {
    isTold = signal === "SIGTERM";
    if (err) log.fatal({ error: err }, "the process ends on an unexpected error");
    else log.info({ signal }, "closing");
    health.isDraining = true;
    draining.abort();
    await closeAll(closers);
    log.flush();
  });

  await closingOnError(closers, async () => {
    requireFolder(config.dataDir, "DATA_DIR");
    requireFolder(config.gitRoot, "GIT_ROOT");
    if (role === "all") closers.push(await lockDataDir(config.dataDir, "all"));
    if (role !== "worker") await requireFreePort(config.host, config.port);
    await requireStore(config);
    log.info(
      {
        ...release,
        role,
        ...(role !== "worker" && { port: config.port }),
        node: process.version,
        database: config.mongodbUrl ? "server" : "embedded",
        queue: config.redisUrl ? "Redis" : "embedded",
        repositories: config.gitStore ? "object store" : "file system",
      },
      "starting",
    );
    const observed = await observeProcess(config, { version: release.version, part: role });
    closers.push(observed.close);
    const app = await open(config, log, closers);
    // Plans of syncs are made in child processes, also by the role that runs no jobs.
    closers.push(() => closeChildren(app));
    health.checks = { database: () => app.storage.ping(), queue: () => app.queue.counts() };
    // The sources of work close together, before the services that they use.
    const intakes: Closers = [];
    closers.push(() => Promise.all(intakes.map(async (close) => close())));
    if (role !== "api") {
      const workers = await startWorkers(app);
      intakes.push(() => workers.close());
    }
    const { metrics } = observed;
    if (metrics) {
      const page = await metrics.serve(app, health, role);
      intakes.push(() => closeServer(page, closeServerMs));
    }
    if (role === "worker") return;
    const handle = createApi(app, health, metrics).callback();
    const server = createListener(health, (request, response) => void handle(request, response));
    const port = await listen(server, config.host, config.port);
    if (config.port === 0) config.baseUrl = config.baseUrl.replace(/:0$/, `:${port}`);
    intakes.push(async () => {
      // Load balancers stop sending requests meanwhile, since the process is not ready. A Ctrl-C does not wait.
      if (isTold) await new Promise((resolve) => setTimeout(resolve, drainMs));
      await closeServer(server, closeServerMs);
    });
    const seeded = demo ? await seedDemo(app, fileURLToPath(new URL("samples", root))) : undefined;
    if (demo && !seeded) console.log("  The service has accounts already, so the demo was not added.");
    if (seeded) console.log(`\n  Demo: sign in as ${seeded.email} with the password ${seeded.password}`);
    announce(config, await ensureSetupLink(app));
  });
}

interface Given {
  args: string[];
  isRepair: boolean;
  transfer: Transfer | undefined;
  /** Number of backups that are kept. */
  keep: number;
  /** Name of the backup to restore. */
  point?: string;
}

/** Runs one operation, with or without a running service, and ends. */
async function runCommand(
  command: string,
  { args, isRepair, transfer, keep, point }: Given,
  config: Config,
): Promise<void> {
  const log = openLog(config.logLevel === "info" && command !== "migrate" ? "warn" : config.logLevel);
  const closers: Closers = [];
  const [first = "", second = ""] = args;
  await closingOnError(closers, async () => {
    if (command === "reset-mfa") {
      const app = await open(config, log, closers);
      return console.log(`Removed the second factors of ${await resetFactorsByEmail(app, first, second)}.`);
    }
    requireFolder(config.dataDir, "DATA_DIR");
    if (command === "doctor") return doctor(config, closers);
    await requireStore(config);
    const stores = await openStoresOnly(config, log, closers);
    if (command === "import") {
      const { documents, hasEnd } = await importFrom(stores, first);
      if (!hasEnd)
        console.log(
          "This export was written by an earlier release and does not mark its end: check that the copy is complete.",
        );
      return console.log(`Read ${documents} documents from ${first}.`);
    }
    if (command === "restore") return print(await restoreFrom(stores, first, point));
    await requireCompleteImport(stores);
    if (command === "backup") {
      const progress = (done: number): void => {
        if (process.stderr.isTTY) process.stderr.write(`\r${done} repositories`);
      };
      print(await backUpTo(stores, first, { keep, release: release.version, progress }));
    } else if (command === "export") console.log(`Wrote ${await exportTo(stores, first)} lines to ${first}.`);
    else if (command === "confirm-restore")
      console.log(`Confirmed. It was: ${await confirmRestoreByOperator(stores, first)}`);
    // The migrations have run as the database was opened.
    else if (command === "migrate") console.log("The database has the form of this release.");
    else if (transfer) await runTransfer(stores, transfer);
    else if (command === "forget-key")
      console.log(
        `Forgot the key ${first}, which encrypts ${describeSealed(await forgetKey(stores, first))}.`,
      );
    else await verify(stores, isRepair);
  });
  await closeAll(closers);
  process.exit();
}

/** Logs nothing: the report has every error. */
async function doctor(config: Config, closers: Closers): Promise<void> {
  const log = openLog("silent");
  const found = await diagnose(config, {
    openStores: () => openStoresOnly(config, log, closers),
    async openQueue() {
      const queue = await openQueue(queueLocation(config), log);
      closers.push(() => queue.close());
      return queue;
    },
  });
  for (const { name, state, text } of found) console.log(`${state.padEnd(7)}  ${name.padEnd(12)}  ${text}`);
  if (found.some(({ state }) => state === "problem")) process.exitCode = 1;
}

/** The database and the repositories: most commands need no queue, which may not be running. */
async function openStoresOnly(config: Config, log: Log, closers: Closers): Promise<Stores> {
  const mongodbUrl = config.mongodbUrl ?? (await openMongo(config, log, closers));
  const stores = await openStores({ config, log, mongodbUrl });
  closers.push(() => closeStores(stores));
  return stores;
}

function print({ lines, hasFaults }: CommandResult): void {
  for (const line of lines) console.log(line);
  if (hasFaults) process.exitCode = 1;
}

async function verify(app: Stores, isRepair: boolean): Promise<void> {
  const report = await verifyStore(app, ({ skills, versions }) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${skills} skills, ${versions} versions`);
  });
  for (const { skillId, version: number, problem } of report.faults)
    console.log(`skill ${skillId}, version ${number}: ${problem}`);
  console.log(`${report.skills} skills, ${report.versions} versions, ${report.faults.length} faults.`);
  const left = isRepair ? await repair(app, report) : report.faults.length;
  if (left > 0) process.exitCode = 1;
}

async function runTransfer(app: Stores, transfer: Transfer): Promise<void> {
  const { target, copied, verified } = await transferStore(app, transfer, (line) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
  });
  for (const fault of copied.faults) console.log(fault);
  for (const { skillId, version, problem } of verified.faults)
    console.log(`skill ${skillId}, version ${version}: ${problem}`);
  console.log(
    `Copied ${copied.packs} packs (${copied.bytes} bytes) of ${copied.repositories} repositories to ${target}: ` +
      `${verified.skills} skills, ${verified.versions} versions, ${verified.faults.length} faults.`,
  );
  if (copied.faults.length + verified.faults.length > 0) process.exitCode = 1;
}

/** Returns the number of faults without a repair. */
async function repair(app: Stores, report: VerifyReport): Promise<number> {
  const done = await repairStore(app, report);
  console.log(
    `Repaired: ${done.phantoms} records of versions removed, ${done.deleted} skills without a repository deleted, ` +
      `${done.removedRows} records without an owner removed, ${done.restoredFolders} folders restored, ` +
      `${done.raised} trees and connections corrected, ${done.reindexed} search entries renewed.`,
  );
  if (done.left.length > 0)
    console.log(`${done.left.length} faults can't be repaired: restore the Git root from a backup.`);
  return done.left.length;
}

const queueLocation = ({ redisUrl, dataDir }: Config) =>
  redisUrl ? { redisUrl } : { dataDir: `${dataDir}/queue` };

async function open(config: Config, log: Log, closers: Closers): Promise<App> {
  requireFolder(config.dataDir, "DATA_DIR");
  // Both engines are slow to start, so they start concurrently.
  const [mongo, queue] = await Promise.allSettled([
    config.mongodbUrl ?? openMongo(config, log, closers),
    openQueue(queueLocation(config), log),
  ]);
  if (queue.status === "rejected") throw queue.reason;
  closers.push(() => queue.value.close());
  if (mongo.status === "rejected") throw mongo.reason;
  const opened = await openApp({
    config,
    log,
    mongodbUrl: mongo.value,
    queue: queue.value,
    makePlan: planInChild,
  });
  closers.push(() => opened.close());
  await requireCompleteImport(opened.app);
  await requireRepositories(opened.app);
  await claimKeyRing(opened.app);
  return opened.app;
}

async function openMongo(config: Config, log: Log, closers: Closers): Promise<string> {
  log.info(
    "using the embedded MongoDB engine (SSPL; for trials, development and small single-machine installs): " +
      "set MONGODB_URL for production",
  );
  const engine = await startEmbeddedMongo({ dataDir: `${config.dataDir}/mongodb`, log });
  closers.push(() => engine.stop());
  return engine.uri;
}

function announce(config: Config, setupLink: string | undefined): void {
  const lines = ["", `  Serving at ${config.baseUrl}   (API: ${config.baseUrl}/docs)`];
  if (setupLink)
    lines.push("", "  This service is empty. Create the first account and organization:", `    ${setupLink}`);
  const api = config.baseUrl === "http://127.0.0.1:3000" ? "" : `SVC_API_URL=${config.baseUrl} `;
  lines.push(
    "",
    "  Then publish a skill and install it:",
    `    ${api}./bin/svc login`,
    `    ${api}./bin/svc publish ./samples/release-notes`,
    `    ${api}./bin/svc install release-notes --target claude --project`,
    "",
    "  Press Ctrl-C to stop.",
    "",
  );
  console.log(lines.join("\n"));
}

class UsageError extends Error {}

main().catch((error: unknown) => {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  const isReported =
    error instanceof UsageError ||
    error instanceof DataDirLockedError ||
    error instanceof EngineError ||
    error instanceof ServiceError;
  // Known errors, and those of files and sockets, are one sentence; any other is a bug, whose trace is shown.
  if (code === "EADDRINUSE") console.error(`The port is taken: set PORT to a free one. (${message})`);
  else if (isReported || syscall || code?.startsWith("ERR_PARSE_ARGS") || message.startsWith("The "))
    console.error(message);
  else console.error(error);
  process.exit(1);
});
