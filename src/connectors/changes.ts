/** Changes of a user's connectors in this process, for those who wait for changes of the lists. */
import type { App } from "../app.ts";

type Listener = (userId: string) => void;

const listeners = new WeakMap<App, Set<Listener>>();

/** Calls back when a connector of a user appears, disappears or changes its status. */
export function onConnectorChange(app: App, listener: Listener): void {
  const known = listeners.get(app);
  if (known) known.add(listener);
  else listeners.set(app, new Set([listener]));
}

export function reportConnectorChange(app: App, userId: string): void {
  for (const listener of listeners.get(app) ?? []) listener(userId);
}
