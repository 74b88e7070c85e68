// PGlite (PostgreSQL compiled to WebAssembly) behind the interface of pg.Client, as BullMQ's PostgreSQL backend
// expects it. PGlite is one single database session, so this file keeps several clients apart on it:
//  - a statement outside a transaction runs alone (PGlite's own lock);
//  - BEGIN ... COMMIT/ROLLBACK of one client holds PGlite's transaction lock, all other clients wait;
//  - LISTEN is per client; a notification goes to every client that listens on the channel;
//  - search_path is set once for all clients. application_name is recorded per client and returned in place of
//    pg_stat_activity, so that queue.getWorkers() works.
import { EventEmitter } from "node:events";
import v8 from "node:v8";
import { PGlite } from "@electric-sql/pglite";

const INT8_OID = 20;
const SCHEMA = "bullmq";
const SETTINGS = [
  "shared_buffers=16MB", // instead of 128 MB: 125 MB less memory, no difference in speed for a queue
  "max_wal_size=64MB", // instead of 1 GB of log files on disk
  "min_wal_size=32MB",
];
// There is no autovacuum in PGlite (no background processes at all). Without VACUUM the queue's tables grow by about
// 0.3 MB per 1000 jobs; it takes 50-100 ms.
const VACUUM_EVERY_STATEMENTS = 20_000;

// V8 optimizes a function of WebAssembly once it has executed about this many bytes of it. By default that is 1.8
// million, which thousands of functions reach in a start: optimizing them took most of its CPU time and 60 MB.
v8.setFlagsFromString("--wasm-tiering-budget=1000000000");

const withoutLeadingComments = (sql) => sql.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, "");

function resultOf(rows, command = "", affectedRows, fields = []) {
  const rowCount = command === "SELECT" || affectedRows === undefined ? rows.length : affectedRows;
  return { rows, rowCount, command, fields };
}

export class PgliteHost {
  /** @type {PGlite} */
  db;
  sessions = new Set();
  #statements = 0;

  /**
   * Opens the database in `dataDir` (its parent must exist), and creates it if missing. Its files survive a kill of the
   * process at any moment. PGlite never calls fsync, regardless of PostgreSQL's settings, so a power cut may damage
   * them.
   */
  static async open(dataDir) {
    const host = new PgliteHost();
    host.db = await PGlite.create({
      dataDir,
      startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ["-c", setting])],
      parsers: { [INT8_OID]: (value) => value }, // int8 as a string, as in pg
    });
    await host.db.exec(`SET search_path TO "${SCHEMA}"`);
    return host;
  }

  session() {
    return new Session(this);
  }

  countStatement() {
    this.#statements += 1;
    if (this.#statements % VACUUM_EVERY_STATEMENTS === 0) this.db.exec("VACUUM").catch(() => {});
  }

  async close() {
    await Promise.all([...this.sessions].map((session) => session.end()));
    await this.db.close();
  }
}

/** One client: pg.Client's query and end, and its "notification" event. */
class Session extends EventEmitter {
  name = "";
  #host;
  #transaction; // { run, finish, done } while one is open
  #listens = new Map();
  #hasEnded = false;

  constructor(host) {
    super();
    this.setMaxListeners(0);
    this.#host = host;
    host.sessions.add(this);
  }

  async query(text, params) {
    if (this.#hasEnded) throw new Error("this client was released");
    const sql = withoutLeadingComments(text);
    const [, verb = "", argument = ""] = /^([a-z]+)\s*("[^"]+"|[\w.]*)/i.exec(sql) ?? [];
    switch (verb.toUpperCase()) {
      case "BEGIN":
      case "START":
        return this.#begin();
      case "COMMIT":
      case "END":
        return this.#finish("COMMIT");
      case "ROLLBACK":
      case "ABORT":
        if (!/^(ROLLBACK|ABORT)\s+(TO|PREPARED)\b/i.test(sql)) return this.#finish("ROLLBACK");
        break;
      case "LISTEN":
        return this.#listen(argument);
      case "UNLISTEN":
        return this.#unlisten(argument);
    }
    if (/set_config\('application_name'/.test(sql)) {
      this.name = String(params?.[0] ?? "");
      return resultOf([], "SELECT");
    }
    if (/^SELECT application_name\s+FROM pg_stat_activity/i.test(sql)) {
      const named = [...this.#host.sessions].filter((session) => session.name);
      return resultOf(
        named.map((session) => ({ application_name: session.name })),
        "SELECT",
      );
    }
    this.#host.countStatement();
    const target = this.#transaction?.run ?? this.#host.db;
    // Several statements in one text are allowed without parameters only, as in pg.
    const answer = params?.length
      ? await target.query(text, params)
      : ((await target.exec(text)).at(-1) ?? { rows: [] });
    return resultOf(answer.rows, answer.command, answer.affectedRows, answer.fields);
  }

  async #begin() {
    if (this.#transaction) throw new Error("a transaction is already open");
    await new Promise((started, failed) => {
      const transaction = {};
      // Keeps PGlite's lock until finish() is called.
      transaction.done = this.#host.db.transaction(
        (run) =>
          new Promise((finish) => {
            this.#transaction = Object.assign(transaction, { run, finish });
            started();
          }),
      );
      transaction.done.catch(failed);
    });
    return resultOf([], "BEGIN");
  }

  async #finish(how) {
    const transaction = this.#transaction;
    if (!transaction) return resultOf([], how); // only a warning in PostgreSQL
    this.#transaction = undefined;
    if (how === "ROLLBACK") await transaction.run.rollback();
    transaction.finish();
    try {
      await transaction.done;
    } catch (error) {
      // COMMIT after a failed statement: PostgreSQL answers ROLLBACK, PGlite throws.
      if (error.code !== "25P02") throw error;
      return resultOf([], "ROLLBACK");
    }
    return resultOf([], how);
  }

  async #listen(name) {
    const channel = name.replaceAll('"', "");
    if (!this.#listens.has(channel)) {
      const pass = (payload) => this.emit("notification", { channel, payload, processId: 0 });
      this.#listens.set(channel, await this.#host.db.listen(name, pass));
    }
    return resultOf([], "LISTEN");
  }

  async #unlisten(name) {
    const channel = name.replaceAll('"', "");
    for (const each of channel === "*" || channel === "" ? [...this.#listens.keys()] : [channel]) {
      const off = this.#listens.get(each);
      this.#listens.delete(each);
      await off?.();
    }
    return resultOf([], "UNLISTEN");
  }

  /** Rolls back an open transaction and stops listening. */
  async end() {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#host.sessions.delete(this);
    if (this.#transaction) await this.#finish("ROLLBACK").catch(() => {});
    await this.#unlisten("*").catch(() => {});
  }
}
