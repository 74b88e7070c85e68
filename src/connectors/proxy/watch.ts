/**
 * Changes of the lists that the endpoint of hosted connectors offers, for agents that wait for them. What a process
 * does itself and what servers report is noticed at once; changes of other processes, and of rights, when all lists are
 * compared. The caller is authenticated again before each comparison.
 */
import { createHash } from "node:crypto";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import type { UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { ListMarks, ListWatch, WatchedList } from "../../mcp/forwarding/forwarder.ts";
import { perApp } from "../../per-app.ts";
import { onConnectorChange } from "../changes.ts";
import { poolOf } from "../upstream/pool.ts";
import { isUsable, listConnectors, type UsableConnector } from "../usable.ts";
import { authenticateAgain } from "./authenticate-again.ts";
import { listsOf, type ListKind } from "./lists.ts";

/** Time between two comparisons for one agent at least, and at most. */
const minIntervalMs = 2000;
const compareMs = 10_000;
const authenticationConcurrency = 8;

/** Lists of connectors of which the entries of an offered list are made. */
const sources: Record<WatchedList, ListKind[]> = {
  tools: ["tools"],
  prompts: ["prompts"],
  resources: ["resources", "templates"],
};

/** An agent that waits. */
export interface UserWatch extends Omit<ListWatch, "actor"> {
  userId: string;
  authenticate(): Promise<UserActor>;
}

interface Watcher extends UserWatch {
  isEnded: boolean;
  isComparing: boolean;
  /** A comparison is due after the current one, or after the rest. */
  isDue: boolean;
  restsUntil: number;
  timer?: NodeJS.Timeout;
}

export interface Watches {
  /** Calls back until the returned function is called. */
  add(watch: UserWatch): () => void;
}

/** The watches of a process. */
export const watchesOf = perApp(openWatches);

function openWatches(app: App): Watches {
  const watchers = new Set<Watcher>();
  let sweep: NodeJS.Timeout | undefined;
  const wake = (userId: string) => {
    for (const watcher of watchers) if (watcher.userId === userId) schedule(app, watcher);
  };
  onConnectorChange(app, wake);
  poolOf(app).onListChange(wake);
  const remove = (watcher: Watcher) => {
    watcher.isEnded = true;
    clearTimeout(watcher.timer);
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(sweep);
    sweep = undefined;
  };
  return {
    add(watch) {
      const watcher: Watcher = {
        ...watch,
        isEnded: false,
        isComparing: false,
        isDue: false,
        restsUntil: 0,
        ended() {
          remove(watcher);
          watch.ended();
        },
      };
      watchers.add(watcher);
      sweep ??= setInterval(() => {
        void mapLimit([...watchers], authenticationConcurrency, (one) => begin(app, one));
      }, compareMs).unref();
      void begin(app, watcher);
      return () => remove(watcher);
    },
  };
}

/** Compares after the rest, so that a server that reports changes all the time causes few comparisons. */
function schedule(app: App, watcher: Watcher): void {
  watcher.isDue = true;
  if (watcher.isEnded || watcher.isComparing || watcher.timer) return;
  const pause = Math.max(0, watcher.restsUntil - performance.now());
  watcher.timer = setTimeout(() => {
    delete watcher.timer;
    void begin(app, watcher);
  }, pause).unref();
}

/** Resolves once the caller is authenticated. The comparison may wait for servers, and delays no other caller. */
async function begin(app: App, watcher: Watcher): Promise<void> {
  if (watcher.isEnded || watcher.isComparing) return;
  watcher.isComparing = true;
  watcher.isDue = false;
  const user = await authenticateAgain(app, () => watcher.authenticate());
  if (user === "ended") watcher.ended();
  const comparing = typeof user === "string" ? Promise.resolve() : compare(app, watcher, user);
  void comparing
    .catch((error: unknown) => app.log.warn({ error }, "lists of hosted connectors could not be compared"))
    .finally(() => {
      watcher.isComparing = false;
      watcher.restsUntil = performance.now() + minIntervalMs;
      if (watcher.isDue) schedule(app, watcher);
    });
}

async function compare(app: App, watcher: Watcher, user: UserActor): Promise<void> {
  const usable = (await listConnectors(app, user)).filter(isUsable);
  const marks: ListMarks = {};
  await Promise.all(
    watcher.lists.map(async (list) => {
      const parts = await Promise.all(usable.map((one) => markOf(app, one, sources[list])));
      marks[list] = createHash("sha256").update(parts.join("\n")).digest("base64url").slice(0, 16);
    }),
  );
  if (!watcher.isEnded) watcher.compared(marks);
}

/** Empty if nothing of a connector is listed. */
async function markOf(app: App, usable: UsableConnector, kinds: readonly ListKind[]): Promise<string> {
  const marks = await Promise.all(kinds.map((kind) => listsOf(app).mark(usable, kind)));
  return marks.every((mark) => mark === "") ? "" : `${usable.connector.slug} ${marks.join(" ")}`;
}
