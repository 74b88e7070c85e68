/**
 * The connection to MongoDB, embedded engine or server alike. No sessions, transactions, change streams or TTL
 * deletion are used anywhere (`ARCHITECTURE.md`): an invariant rests on one document write or a unique index.
 * The write concern comes from the URL only.
 */
import {
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
  ObjectId,
  type Collection,
  type Db,
  type Document,
  type Long,
} from "mongodb";
import { isObserved } from "../contract/observation.ts";
import { endWaitingForClosedConnections } from "./database/closed-connections.ts";
import { ensureIndexes, type DeclaredIndexes } from "./database/indexes.ts";
import { measureCommands } from "./database/measure-commands.ts";

/** Time that a request waits for an unavailable engine before the response 503. */
const serverSelectionTimeoutMs = 3000;
/** Time that a start waits for the engine, which may be starting too, or be busy. */
const startTimeoutMs = 15_000;
/**
 * Time without data on a connection after which the engine counts as unavailable; far longer than any command takes.
 */
const socketTimeoutMs = 30_000;
/** Time limit of lists and searches, so that a runaway query ends. */
export const commandTimeMs = 10_000;

export interface Database {
  /** URL with credentials, for child processes. */
  url: string;
  collection<T extends Document>(name: string): Collection<T>;
  /**
   * All rows of an aggregation that has few. It is sent as a plain command, again after a lost connection: a cursor of
   * the driver takes a quarter more CPU time.
   */
  aggregate<T extends Document>(collection: string, pipeline: Document[]): Promise<T[]>;
  /** Throws if the engine does not respond. */
  ping(): Promise<void>;
  /** Version of the engine. */
  version(): Promise<string>;
  describe(): Promise<DatabaseServer>;
  /** Creates missing indexes. Existing ones are not changed. */
  ensureIndexes(declared: DeclaredIndexes): Promise<void>;
  close(): Promise<void>;
  /** For the export command and tests. */
  raw: Db;
}

export interface DatabaseServer {
  version: string;
  /** Such as `replica set rs0 of 3`. */
  topology: string;
  /** As the URL has it; undefined for the server's default. */
  writeConcern: string | undefined;
  /** Undefined for an engine that does not report it. */
  time: Date | undefined;
}

export async function openDatabase(url: string, name: string): Promise<Database> {
  endWaitingForClosedConnections();
  const client = new MongoClient(url, {
    appName: "svc",
    ignoreUndefined: true,
    maxPoolSize: 50,
    serverSelectionTimeoutMS: serverSelectionTimeoutMs,
    connectTimeoutMS: 5000,
    socketTimeoutMS: socketTimeoutMs,
    ...(isObserved() && { monitorCommands: true }),
  });
  if (isObserved()) measureCommands(client);
  await connect(client);
  const db = client.db(name);
  return {
    url,
    raw: db,
    collection: (collectionName) => db.collection(collectionName),
    aggregate: (...query) => aggregateFirstBatch(db, ...query),
    async ping() {
      await db.command({ ping: 1 }, { timeoutMS: serverSelectionTimeoutMs });
    },
    async version() {
      const { version } = await db.command({ buildInfo: 1 }, { timeoutMS: serverSelectionTimeoutMs });
      return String(version);
    },
    async describe() {
      const options = { timeoutMS: serverSelectionTimeoutMs };
      const [{ version }, hello] = await Promise.all([
        db.command({ buildInfo: 1 }, options),
        db.command({ hello: 1 }, options),
      ]);
      const { w, journal } = db.writeConcern ?? {};
      return {
        version: String(version),
        topology: topologyOf(hello),
        writeConcern: w === undefined ? undefined : `${w}${journal === true ? " with journal" : ""}`,
        time: hello["localTime"] instanceof Date ? hello["localTime"] : undefined,
      };
    },
    ensureIndexes: (declared) => ensureIndexes(db, declared),
    close: () => client.close(),
  };
}

function topologyOf({ msg, setName, hosts }: Document): string {
  if (msg === "isdbgrid") return "sharded cluster";
  if (typeof setName !== "string") return "standalone";
  return `replica set ${setName} of ${Array.isArray(hosts) ? hosts.length : 1}`;
}

async function connect(client: MongoClient): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await client.connect();
      return;
    } catch (cause) {
      if (cause instanceof MongoServerSelectionError && performance.now() - startedAt < startTimeoutMs)
        continue;
      await client.close();
      const { message } = cause as Error;
      throw new Error(`The database can't be opened: ${message}. Check MONGODB_URL.`, { cause });
    }
  }
}

/** By default, the first batch of a result has 101 rows. */
const maxRows = 100_000;

async function aggregateFirstBatch<T extends Document>(
  db: Db,
  collection: string,
  pipeline: Document[],
): Promise<T[]> {
  const { readPreference, readConcern } = db;
  const command = {
    aggregate: collection,
    pipeline,
    cursor: { batchSize: maxRows },
    readConcern: readConcern?.toJSON(),
  };
  const options = { ignoreUndefined: true, readPreference };
  const reply = await retryIdempotent(() => db.command(command, options));
  const { id, firstBatch } = reply["cursor"] as { id: number | Long; firstBatch: T[] };
  if (id === 0) return firstBatch;
  // More than a response holds: the driver's cursor reads it in parts.
  await db.command({ killCursors: collection, cursors: [id] });
  return db.collection(collection).aggregate<T>(pipeline).toArray();
}

/** A new id: 24 hexadecimal digits that begin with the time. */
export function newId(): string {
  return new ObjectId().toHexString();
}

/** Whether a text has the form of an id; checked before any look-up by id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}

/** Whether a write failed because of a unique index, or because of the one named `index`. */
export function isDuplicate(error: unknown, index?: string): boolean {
  if (!(error instanceof MongoServerError) || error.code !== 11000) return false;
  return index === undefined || new RegExp(`index: ${index}\\b`).test(error.message);
}

/** Whether an error means that the engine is unavailable. The driver also passes on plain socket errors. */
export function isUnavailable(error: unknown): boolean {
  // The cause of a failed bulk write (such as `insertMany`) is inside the driver's error.
  const response: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined;
  if (response instanceof Error) return isUnavailable(response);
  if (error instanceof MongoError) {
    return (
      /^Mongo(Network|ServerSelection|Topology|PoolCleared|PoolClosed|WaitQueue|NotConnected|ClientClosed)/.test(
        error.name,
      ) ||
      error.hasErrorLabel("RetryableWriteError") ||
      error.hasErrorLabel("ResetPool") ||
      // MaxTimeMSExpired: the engine responds, but not in time.
      error.code === 50
    );
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return error instanceof Error && (code === "EPIPE" || code === "ECONNRESET" || code === "ECONNREFUSED");
}

/** Whether an error of the driver means that the engine is unavailable, and not only slow. */
export const isDatabaseOutage = (error: unknown): boolean =>
  error instanceof MongoError && error.code !== 50 && isUnavailable(error);

/**
 * For `retryIdempotent` if the result of a lost response must be found out: longer than a restart of the engine takes.
 */
export const untilKnownMs = 8000;
const pauseMs = { first: 100, most: 500 };

/**
 * Retries an idempotent operation after lost connections, for about 2 s or `forMs`. The embedded engine restarts within
 * half a second, so most of its restarts are not noticed.
 */
export async function retryIdempotent<T>(operation: () => Promise<T>, forMs = 2000): Promise<T> {
  const deadline = performance.now() + forMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await operation();
    } catch (error) {
      const waitMs = Math.min(pauseMs.first * 2 ** attempt, pauseMs.most);
      if (!isUnavailable(error) || performance.now() + waitMs > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

/** The rows of a cursor in slices of a size; the last may be shorter, none is empty. */
export async function* inSlices<T>(rows: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let slice: T[] = [];
  for await (const row of rows) {
    if (slice.push(row) < size) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
