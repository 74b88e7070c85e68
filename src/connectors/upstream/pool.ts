/**
 * Open clients of connectors, in this process. A client belongs to one connector, and so to one user, and is closed
 * when its connector, credentials or server change, or when it was not used for a while. The library is loaded with the
 * first client, since most processes open none.
 */
import type { Client, PriorDiscovery } from "@modelcontextprotocol/client";
import { LRUCache } from "lru-cache";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import type { UsableConnector } from "../usable.ts";
import type { Upstream } from "./connect.ts";
import type { ChangedList } from "./follow.ts";

const idleMs = 5 * 60_000;
/** Clients that are open at a time; the one that was unused for the longest time is closed first. */
const maxOpen = 1000;
/** A server that spoke only the earlier protocol version is asked again after this time. */
const priorMs = 24 * 60 * 60_000;

interface Entry {
  /** Distinguishes this client from earlier and later ones of its connector. */
  number: number;
  upstream: Promise<Upstream>;
  using: number;
  usedAt: number;
}

export type ListChange = (userId: string, connectorId: string, list: ChangedList) => void;

export interface Pool {
  /** Runs work with the connector's client. Throws what `problemOf` explains, or what the work throws. */
  use<T>(usable: UsableConnector, work: (client: Client, number: number) => Promise<T>): Promise<T>;
  /** Closes the clients of a connector, so that the next call connects again. */
  drop(connectorId: string): void;
  /**
   * Keeps the connector's client open for longer, since only an open one hears of changes. Returns its number, or
   * undefined if there is none, and room for one.
   */
  keep(usable: UsableConnector): number | "no_room" | undefined;
  /** Calls back for changes of lists. Returns the end of it. */
  onListChange(listener: ListChange): () => void;
  size(): number;
  close(): Promise<void>;
}

export function openPool(app: App): Pool {
  const entries = new Map<string, Entry>();
  const listeners = new Set<ListChange>();
  let opened = 0;
  const priors = new LRUCache<string, PriorDiscovery>({ max: 5000, ttl: priorMs });
  const keyOf = ({ connector, server }: UsableConnector) =>
    `${connector._id} ${connector.credentialsRevision} ${server.revision}`;

  const closeEntry = (key: string) => {
    const entry = entries.get(key);
    entries.delete(key);
    entry?.upstream.then((upstream) => upstream.close()).catch(() => undefined);
  };
  const sweep = setInterval(() => {
    const before = performance.now() - idleMs;
    for (const [key, { using, usedAt }] of entries) if (using === 0 && usedAt < before) closeEntry(key);
  }, idleMs / 10).unref();

  /** Closes clients of the connector with previous credentials, and the least used ones above the limit. */
  function makeRoom(connectorId: string): void {
    for (const [key, { using }] of entries)
      if (key.startsWith(`${connectorId} `) && using === 0) closeEntry(key);
    for (const [key, { using }] of entries) {
      if (entries.size < maxOpen) break;
      if (using === 0) closeEntry(key);
    }
  }

  async function connect(usable: UsableConnector, key: string, onClose: () => void): Promise<Upstream> {
    const { connector } = usable;
    const [{ connectUpstream }, { authOf, loadTarget }] = await Promise.all([
      import("./connect.ts"),
      import("./credentials.ts"),
    ]);
    const loaded = await loadTarget(app, usable);
    const upstream = await connectUpstream(app, loaded.target, {
      auth: authOf(app, connector._id, loaded),
      prior: priors.get(key),
      onChange(list) {
        for (const listener of listeners) listener(connector.userId, connector._id, list);
      },
      onClose,
    });
    const discover = upstream.client.getDiscoverResult();
    priors.set(key, discover ? { kind: "modern", discover } : { kind: "legacy" });
    return upstream;
  }

  function entryOf(usable: UsableConnector): Entry {
    const key = keyOf(usable);
    const known = entries.get(key);
    if (known) {
      // The order of the map is that of use.
      entries.delete(key);
      entries.set(key, known);
      return known;
    }
    makeRoom(usable.connector._id);
    // A server can close the connection before it is established.
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    const entry: Entry = {
      number: ++opened,
      upstream: connect(usable, key, forget),
      using: 0,
      usedAt: performance.now(),
    };
    entries.set(key, entry);
    entry.upstream.catch(() => {
      priors.delete(key);
      forget();
    });
    return entry;
  }

  async function useEntry<T>(
    usable: UsableConnector,
    work: (client: Client, number: number) => Promise<T>,
  ): Promise<T> {
    const entry = entryOf(usable);
    entry.using++;
    let upstream: Upstream | undefined;
    try {
      upstream = await entry.upstream;
      return await work(upstream.client, entry.number);
    } catch (reported) {
      const error = upstream ? upstream.causeOf(reported) : reported;
      const { problemOf } = await import("./failure.ts");
      if (["unauthorized", "unreachable", "not_mcp"].includes(problemOf(error))) {
        const key = keyOf(usable);
        if (entries.get(key) === entry) closeEntry(key);
      }
      throw error;
    } finally {
      entry.using--;
      entry.usedAt = performance.now();
    }
  }

  return {
    async use(usable, work) {
      const wasOpen = entries.has(keyOf(usable));
      try {
        return await useEntry(usable, work);
      } catch (error) {
        const { isSessionLost } = await import("./failure.ts");
        // A server that was started again has forgotten the session of this client: the next client gets another.
        if (!wasOpen || !isSessionLost(error)) throw error;
        return useEntry(usable, work);
      }
    },
    drop(connectorId) {
      for (const key of entries.keys()) if (key.startsWith(`${connectorId} `)) closeEntry(key);
    },
    keep(usable) {
      const entry = entries.get(keyOf(usable));
      if (!entry) return entries.size >= maxOpen ? "no_room" : undefined;
      entry.usedAt = performance.now();
      return entry.number;
    },
    onListChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    size: () => entries.size,
    async close() {
      clearInterval(sweep);
      const open = [...entries.values()];
      entries.clear();
      await Promise.allSettled(open.map(async ({ upstream }) => (await upstream).close()));
    },
  };
}

/** The pool of a process. */
export const poolOf = perApp<Pool>((app) => {
  const pool = openPool(app);
  app.onClose(() => pool.close());
  return pool;
});
