// A look-alike of pg.Pool that talks to queue-child.mjs, for BullMQ's PostgreSQL backend.
//
// When the engine restarts, query() sends the statements in flight once more, as ioredis does with commands: a
// statement may then have run twice, which BullMQ is made for, while without it a job that had finished would be
// marked as failed. Checked-out clients fail instead (code ECONNRESET), and BullMQ makes itself a new LISTEN client.
import { EventEmitter } from "node:events";
import net from "node:net";
import { onMessages, sendMessage } from "../frames.mjs";

const MAX_ATTEMPTS = 3;
const REDIAL_PAUSE_MS = 50;

export interface QueryAnswer<R> {
  rows: R[];
  rowCount: number | null;
}

interface Notification {
  channel: string;
  payload?: string;
  processId?: number;
}

interface Reply {
  id: number;
  rows: unknown[];
  rowCount: number | null;
  error?: { message: string; code?: string };
  notification?: Notification;
}

interface OpenQuery {
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
}

const connectionLost = () =>
  Object.assign(new Error("The connection to the queue engine was lost"), { code: "ECONNRESET" });

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "";

async function dial(socketPath: string, waitMs: number): Promise<net.Socket> {
  const until = Date.now() + waitMs;
  for (;;) {
    try {
      return await new Promise((resolve, reject) => {
        const socket = net.connect(socketPath);
        socket.once("connect", () => resolve(socket));
        socket.once("error", reject);
      });
    } catch (error) {
      const isAway = ["ECONNREFUSED", "ECONNRESET", "ENOENT"].includes(codeOf(error));
      if (!isAway || Date.now() > until) throw error;
      await new Promise((done) => setTimeout(done, REDIAL_PAUSE_MS));
    }
  }
}

/** One connection, used like a checked-out pg.PoolClient. */
export class QueueClient extends EventEmitter {
  readonly #socket: net.Socket;
  readonly #open = new Map<number, OpenQuery>();
  #lastId = 0;
  #isReleased = false;
  #isDead = false;

  constructor(socket: net.Socket) {
    super();
    this.setMaxListeners(0); // a worker adds one listener per wait
    this.#socket = socket;
    onMessages(socket, (message) => this.#receive(message as Reply));
    socket.on("error", () => {}); // "close" follows
    socket.on("close", () => {
      this.#isDead = true;
      for (const { reject } of this.#open.values()) reject(connectionLost());
      this.#open.clear();
      if (!this.#isReleased && this.listenerCount("error") > 0) this.emit("error", connectionLost());
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  async query<R = unknown>(text: string, params?: readonly unknown[]): Promise<QueryAnswer<R>> {
    if (this.#isDead || this.#isReleased) throw connectionLost();
    const { rows, rowCount } = await new Promise<Reply>((resolve, reject) => {
      const id = ++this.#lastId;
      this.#open.set(id, { resolve, reject });
      sendMessage(this.#socket, { id, text, params });
    });
    return { rows: rows as R[], rowCount };
  }

  release(): void {
    this.#isReleased = true;
    this.#socket.end();
  }

  #receive(reply: Reply) {
    if (reply.notification) {
      this.emit("notification", reply.notification);
      return;
    }
    const query = this.#open.get(reply.id);
    this.#open.delete(reply.id);
    if (reply.error) query?.reject(Object.assign(new Error(reply.error.message), reply.error));
    else query?.resolve(reply);
  }
}

export class QueuePool extends EventEmitter {
  /** Read by BullMQ: a dead LISTEN connection is noticed at once. */
  readonly options = { keepAlive: true };
  readonly #socketPath: string;
  readonly #waitMs: number;
  #shared: Promise<QueueClient> | undefined;
  #hasEnded = false;

  /** `waitMs`: how long a query or a connect waits for an engine that is away before it fails. */
  constructor(socketPath: string, options: { waitMs: number }) {
    super();
    this.setMaxListeners(0);
    this.#socketPath = socketPath;
    this.#waitMs = options.waitMs;
  }

  /** On one shared connection: PGlite runs one statement at a time anyway. Transactions need connect(). */
  async query<R = unknown>(text: string, params?: readonly unknown[]): Promise<QueryAnswer<R>> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#client();
      try {
        return await client.query<R>(text, params);
      } catch (error) {
        if (codeOf(error) !== "ECONNRESET" || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async connect(): Promise<QueueClient> {
    return new QueueClient(await dial(this.#socketPath, this.#waitMs));
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    const client = await this.#shared?.catch(() => undefined);
    client?.release();
  }

  async #client(): Promise<QueueClient> {
    for (;;) {
      if (this.#hasEnded) throw new Error("the pool has ended");
      const current = (this.#shared ??= this.connect());
      const forget = () => {
        if (this.#shared === current) this.#shared = undefined;
      };
      try {
        const client = await current;
        if (!client.isDead) return client;
      } catch (error) {
        forget();
        throw error;
      }
      forget();
    }
  }
}
