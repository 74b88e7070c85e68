/** The listeners of a process by the logs that concern them: what happens elsewhere costs nothing for a listener. */
import { logsOf, type Listener } from "./listener.ts";
import type { Look, Logs } from "./recent.ts";

type Index = Map<string, Set<Listener>>;

export class Listeners {
  readonly #ofTenant: Index = new Map();
  readonly #ofUser: Index = new Map();
  readonly #all = new Map<Listener, ReturnType<typeof logsOf>>();

  get size(): number {
    return this.#all.size;
  }

  all(): Iterable<Listener> {
    return this.#all.keys();
  }

  /** Adds a listener, or follows a change of its actor. */
  put(listener: Listener): void {
    this.remove(listener);
    const logs = logsOf(listener);
    this.#all.set(listener, logs);
    for (const [index, ids] of this.#places(logs))
      for (const id of ids) {
        const listeners = index.get(id);
        if (listeners) listeners.add(listener);
        else index.set(id, new Set([listener]));
      }
  }

  remove(listener: Listener): void {
    const logs = this.#all.get(listener);
    if (!logs) return;
    this.#all.delete(listener);
    for (const [index, ids] of this.#places(logs))
      for (const id of ids) {
        const listeners = index.get(id);
        listeners?.delete(listener);
        if (listeners?.size === 0) index.delete(id);
      }
  }

  has(listener: Listener): boolean {
    return this.#all.has(listener);
  }

  logs(): Logs {
    return { tenantIds: this.#ofTenant, userIds: this.#ofUser };
  }

  /** Listeners that something of a look may concern. */
  concerned({ rows, syncs, isOverflow }: Look): Set<Listener> {
    if (isOverflow) return new Set(this.#all.keys());
    const found = new Set<Listener>();
    const add = (listeners: Set<Listener> | undefined) => listeners?.forEach((one) => found.add(one));
    for (const tenantId of new Set([...rows, ...syncs].flatMap((one) => one.tenantId ?? [])))
      add(this.#ofTenant.get(tenantId));
    for (const userId of new Set(rows.flatMap((row) => row.userId ?? []))) add(this.#ofUser.get(userId));
    return found;
  }

  #places(logs: ReturnType<typeof logsOf>): [Index, string[]][] {
    return [
      [this.#ofTenant, logs.tenantIds],
      [this.#ofUser, logs.userIds],
    ];
  }
}
