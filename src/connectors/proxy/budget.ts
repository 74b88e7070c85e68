/** Concurrent calls of users and connectors in this process. */
import { limits } from "../../../contract/limits.ts";
import type { PublicConnector } from "../../../storage/connectors/connectors.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";

const running = perApp(() => new Map<string, number>());

/** Takes a place for a call, until the returned function is called. Undefined if the user or connector has too many. */
export function takeCall(app: App, { _id, userId }: PublicConnector): (() => void) | undefined {
  const counts = running(app);
  const places = [
    { key: `connector:${_id}`, most: limits.connectorCallConcurrency },
    { key: `user:${userId}`, most: limits.connectorCallsPerUser },
  ];
  if (places.some(({ key, most }) => (counts.get(key) ?? 0) >= most)) return undefined;
  for (const { key } of places) counts.set(key, (counts.get(key) ?? 0) + 1);
  let isTaken = true;
  return () => {
    if (!isTaken) return;
    isTaken = false;
    for (const { key } of places) {
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    }
  };
}
