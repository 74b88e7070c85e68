/** Changes of a user's connectors in this process, for those who wait for changes of the lists. */
import type { App } from "../app.ts";
import { perApp } from "../per-app.ts";

type Listener = (userId: string) => void;

const listeners = perApp(() => new Set<Listener>());

/** Calls back when a connector of a user appears, disappears or changes its status. */
export function onConnectorChange(app: App, listener: Listener): void {
  listeners(app).add(listener);
}

export function reportConnectorChange(app: App, userId: string): void {
  for (const listener of listeners(app)) listener(userId);
}
