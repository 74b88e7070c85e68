// The database of a test file: one engine per run (scripts/run-tests.mjs), or one of its own for a file run alone.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { type Db, MongoClient } from "mongodb";

import { startEmbeddedMongo } from "../../engines/mongo.ts";
import { openLog } from "../../src/log.ts";

export interface TestDatabase {
  url: string;
  name: string;
}

const ofFiles = new Map<string, Promise<TestDatabase>>();
let ofServices: { file: string; database: Promise<TestDatabase> } | undefined;

/** Set where several files run in this process (scripts/run-group.mjs). */
const presentFile = () => process.env["SVC_TEST_FILE"] ?? "";

/**
 * Where this test file keeps its data. Ask once per file and empty it between tests: a new database per test would
 * leave files and handles behind. Needs no cleaning up.
 */
export function testDatabase(): Promise<TestDatabase> {
  const file = presentFile();
  const database = ofFiles.get(file) ?? open();
  ofFiles.set(file, database);
  return database;
}

/**
 * Likewise, for a whole service: empty for each file, but with the collections and indexes of the process's earlier
 * ones. To make them takes seconds.
 */
export function serviceDatabase(): Promise<TestDatabase> {
  const file = presentFile();
  if (ofServices?.file !== file)
    ofServices = { file, database: (ofServices?.database ?? open()).then(emptied) };
  return ofServices.database;
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
  const engine = await startEmbeddedMongo({ dataDir: dir, log: openLog("silent") });
  // The engine keeps no process alive, so this runs when the file's tests are done.
  process.on("exit", () => {
    if (engine.pid !== undefined) process.kill(engine.pid, "SIGKILL");
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  return engine.uri;
}

/** Removes every document and keeps collections and indexes. */
export async function emptyDatabase(db: Db): Promise<void> {
  const collections = await db.collections();
  await Promise.all(
    collections
      .filter(({ collectionName }) => !collectionName.startsWith("system."))
      .map((collection) => collection.deleteMany({})),
  );
}
