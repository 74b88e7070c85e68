// The database of a test file: one engine per run (scripts/test.mjs), or one of its own for a file run alone.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Db, MongoClient } from "mongodb";
import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { openLog } from "../../src/log.ts";
import { root } from "./root.ts";

export interface TestDatabase {
  url: string;
  name: string;
}

const ofFiles = new Map<string, Promise<TestDatabase>>();
let ofServices: { file: string; database: Promise<TestDatabase> } | undefined;

/** Set where several files run in this process (scripts/run-files.mjs). */
const presentFile = () => process.env["SVC_TEST_FILE"] ?? "";

/**
 * The database of this test file. Get it once per file and empty it between tests: a new database per test would leave
 * files and handles behind. Needs no clean-up.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const file = presentFile();
  const database = ofFiles.get(file) ?? open();
  ofFiles.set(file, database);
  return database;
}

/**
 * The same for a whole service: empty for each file, but with the collections and indexes of earlier files of the run,
 * since creating them takes seconds.
 */
export async function serviceDatabase(): Promise<TestDatabase> {
  const file = presentFile();
  if (ofServices?.file !== file)
    ofServices = { file, database: (ofServices?.database ?? openForServices()).then(emptied) };
  return ofServices.database;
}

function openForServices(): Promise<TestDatabase> {
  const url = process.env["SVC_TEST_MONGODB_URL"];
  if (url === undefined) return open();
  return Promise.resolve({ url, name: `services_${lease("database")}` });
}

/**
 * The lowest number that no other process of the run holds. This process holds it until it exits, also by a kill, or
 * until the run ends with `untilRunEnds`.
 *
 * @param kind what is numbered
 */
function lease(kind: string, untilRunEnds = false): number {
  const folder = path.join(os.tmpdir(), "leases");
  fs.mkdirSync(folder, { recursive: true });
  for (let number = 1; ; number++) {
    const file = path.join(folder, `${kind}-${number}`);
    try {
      fs.closeSync(fs.openSync(file, "wx"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      continue;
    }
    if (!untilRunEnds) process.on("exit", () => fs.rmSync(file, { force: true }));
    return number;
  }
}

/**
 * Settings of a built service that runs on the engines of this run, on an empty database and queue. None if a file is
 * run alone: the service then starts its own. For tests whose subject is neither the engines nor their end.
 */
export async function sharedEngines(): Promise<Record<string, string>> {
  const [url, redis] = [process.env["SVC_TEST_MONGODB_URL"], process.env["SVC_TEST_REDIS_URL"]];
  if (url === undefined || redis === undefined) return {};
  const { name } = await serviceDatabase();
  return { MONGODB_URL: url, MONGODB_DATABASE: name, REDIS_URL: emptyRedis()! };
}

/** An empty database of this run's Redis; undefined if there is none. */
export function emptyRedis(): string | undefined {
  const redis = process.env["SVC_TEST_REDIS_URL"];
  // Each number is used once per run, so that the database is empty.
  return redis === undefined ? undefined : `${redis}?db=${lease("queue", true)}`;
}

async function emptied(database: TestDatabase): Promise<TestDatabase> {
  const client = await MongoClient.connect(database.url);
  await emptyDatabase(client.db(database.name));
  await client.close();
  return database;
}

async function open(): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString("hex")}`;
  const shared = process.env["SVC_TEST_MONGODB_URL"];
  return { url: shared ?? (await startOwnEngine()), name };
}

async function startOwnEngine(): Promise<string> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "svc-mongodb-"));
  // Copying the engine, which some systems require, takes longer than the start.
  const cacheDir = path.join(root, "node_modules/.cache/mongo-engine");
  const engine = await startEmbeddedMongo({ dataDir: dir, cacheDir, log: openLog("silent") });
  // The engine keeps no process alive, so this runs when the file's tests are done.
  process.on("exit", () => {
    if (engine.pid !== undefined) process.kill(engine.pid, "SIGKILL");
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  return engine.uri;
}

/** Removes every document and keeps collections and indexes. */
export async function emptyDatabase(db: Db): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = collections.map(({ name }) => name).filter((name) => !name.startsWith("system."));
  const filled = await nonEmpty(db, names);
  await Promise.all(filled.map((name) => db.collection(name).deleteMany({})));
}

/** One command for all collections: most are empty, and a command for each takes longer than many tests. */
async function nonEmpty(db: Db, names: string[]): Promise<string[]> {
  const [first, ...others] = names.map((name) => ({
    name,
    pipeline: [{ $limit: 1 }, { $project: { _id: { $literal: name } } }],
  }));
  if (!first) return [];
  const unions = others.map(({ name, pipeline }) => ({ $unionWith: { coll: name, pipeline } }));
  const found = await db
    .collection(first.name)
    .aggregate<{ _id: string }>([...first.pipeline, ...unions])
    .toArray();
  return found.map(({ _id }) => _id);
}
