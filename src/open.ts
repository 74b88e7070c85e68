/** Opens an application on its engines, and closes it in reverse. */
import path from "node:path";
import { openMirrors } from "../repos/mirror/index.ts";
import { openObjectStore } from "../repos/object-store/s3.ts";
import { openUploadPack } from "../repos/serve/upload-pack.ts";
import { openSkillStore } from "../repos/store/index.ts";
import { allowOutbound } from "../repos/transport/outbound-allow.ts";
import { newId } from "../storage/database.ts";
import { openStorage } from "../storage/index.ts";
import { openRedis } from "../storage/redis.ts";
import { flushDownloads } from "./analytics/downloads.ts";
import type { App, Stores } from "./app.ts";
import { openPasswords, type PasswordCost } from "./auth/passwords.ts";
import { openCompute } from "./compute/compute.ts";
import type { Config } from "./config.ts";
import { openRateLimits } from "./http/request/rate-limit.ts";
import type { Log } from "./log.ts";
import { openMailer } from "./mail/mailer.ts";
import type { Queue } from "./queue/index.ts";
import { openSecrets, type Secrets } from "./secrets.ts";
import { flushProjections } from "./skills/projection-queue.ts";
import { commitHost } from "./skills/publish/author.ts";
import { openTxtResolver, type ResolveTxt } from "./sso/domains/resolve-txt.ts";
import { makePlan } from "./sync/preview/make-plan.ts";

export interface OpenedApp {
  app: App;
  /** Waits for background work, then closes repositories and database. The caller closes the queue afterwards. */
  close(): Promise<void>;
}

/** Connects to the engines at the given addresses. */
export async function openApp(options: {
  config: Config;
  log: Log;
  mongodbUrl: string;
  queue: Queue;
  now?: () => Date;
  /** Function that makes sync plans; this process by default. */
  makePlan?: typeof makePlan;
  /** Look-up of TXT records; by default with the name servers of the machine. */
  resolveTxt?: ResolveTxt;
  /** The cost of new password hashes; by default that of the safety baseline. */
  passwordCost?: PasswordCost;
  /** See `App`. */
  jobProgram?: string;
}): Promise<OpenedApp> {
  const { config, log, queue } = options;
  const stores = await openStores(options);
  const secrets = await openKeys(stores);
  const uploadPack = openUploadPack({
    program: config.gitProgram,
    searchPath: config.searchPath,
    spoolFolder: path.join(config.gitRoot, "spool"),
    log: ({ level, msg, ...fields }) => log[level](fields, msg),
  });
  const mirrors = openMirrors({
    root: config.gitRoot,
    git: { program: config.gitProgram, searchPath: config.searchPath },
    log: ({ level, msg, ...fields }) => log[level](fields, msg),
  });
  const compute = openCompute();
  const redis = config.redisUrl
    ? openRedis(config.redisUrl, (error) =>
        log.warn({ error }, "Redis does not answer; limits are counted here"),
      )
    : undefined;
  const working = new Set<Promise<unknown>>();
  const closers: (() => Promise<void>)[] = [];
  const app: App = {
    ...stores,
    secrets,
    mirrors,
    makePlan: (work) => (options.makePlan ?? makePlan)(app, work),
    jobProgram: options.jobProgram,
    uploadPack,
    compute,
    queue,
    mail: openMailer({ ...config, log }),
    resolveTxt: options.resolveTxt ?? openTxtResolver(),
    passwords: openPasswords(options.passwordCost),
    rateLimits: openRateLimits({
      enabled: config.rateLimits,
      addressFactor: config.addressLimits.factor,
      redis: redis?.client,
    }),
    background(name, work) {
      const done = work()
        .catch((error: unknown) =>
          log.warn(
            { error, work: name },
            "background work failed; the reconcile job completes what is recorded as pending",
          ),
        )
        .finally(() => working.delete(done));
      working.add(done);
    },
    onClose: (close) => void closers.push(close),
  };
  return {
    app,
    async close() {
      const cloned = uploadPack.close();
      await Promise.allSettled(closers.map((close) => close()));
      flushDownloads(app);
      while (flushProjections(app) || working.size > 0) await Promise.allSettled(working);
      await cloned;
      redis?.close();
      await compute.close();
      await mirrors.close();
      await closeStores(stores);
    },
  };
}

/** Opens the database and the repositories only, for commands: they need neither the queue nor any secret. */
export async function openStores(options: {
  config: Config;
  log: Log;
  mongodbUrl: string;
  now?: () => Date;
}): Promise<Stores> {
  const { config, log } = options;
  allowOutbound(config.outboundAllow);
  const storage = await openStorage({
    url: options.mongodbUrl,
    database: config.mongodbDatabase,
    onMigrated: ({ migration: { number, name }, ms }) =>
      log.info({ number, ms: Math.round(ms) }, `migrated: ${name}`),
  });
  const repos = openSkillStore({
    ...storeOf(config),
    committerHost: commitHost(config.baseUrl),
    log: ({ level, msg, ...fields }) => log[level](fields, msg),
  });
  const objects = config.gitStore && openObjectStore(config.gitStore);
  return { config, log, storage, repos, objects, now: options.now ?? (() => new Date()), newId };
}

/** The place of the repositories: a folder, or an object store with its copies in one. */
export const storeOf = ({ gitStore, gitRoot, cacheDir, cacheBytes }: Config) => ({
  root: gitStore ? cacheDir : gitRoot,
  remote: gitStore && { store: gitStore, maxBytes: cacheBytes },
});

/** Keys are not created for a database that was used with others. */
async function openKeys(stores: Stores): Promise<Secrets> {
  const { dataDir, secretKeys: keys } = stores.config;
  try {
    return openSecrets({ keys, dataDir, mayCreate: (await stores.storage.keyRing.find()) === null });
  } catch (error) {
    await closeStores(stores);
    throw error;
  }
}

export async function closeStores({ repos, objects, storage }: Stores): Promise<void> {
  await repos.close();
  objects?.close();
  await storage.close();
}
