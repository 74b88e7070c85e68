/**
 * Listeners whose session or token has ended or expired without an entry in a log, as by a sign-out: found with one
 * query for many listeners. Whatever else ends a credential is in the log of its person or organization.
 */
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { Listener } from "./listener.ts";

const batch = 1000;

export async function listEnded(app: App, listeners: Iterable<Listener>): Promise<Listener[]> {
  const { sessions, tokens } = app.storage;
  const kinds = { session: new Map<string, Listener[]>(), token: new Map<string, Listener[]>() };
  for (const listener of listeners) {
    const [kind, id] = credentialOf(listener.actor);
    if (id === undefined) continue;
    const same = kinds[kind].get(id);
    if (same) same.push(listener);
    else kinds[kind].set(id, [listener]);
  }
  const ended: Listener[] = [];
  for (const [kind, collection] of [
    ["session", sessions],
    ["token", tokens],
  ] as const) {
    const ids = [...kinds[kind].keys()];
    for (let from = 0; from < ids.length; from += batch) {
      const asked = ids.slice(from, from + batch);
      const live = new Set(await collection.listLive(asked, app.now()));
      for (const id of asked) if (!live.has(id)) ended.push(...kinds[kind].get(id)!);
    }
  }
  return ended;
}

function credentialOf(actor: Actor): ["session" | "token", id: string | undefined] {
  if (actor.kind === "organization") return ["token", actor.tokenId];
  if (actor.kind !== "user") return ["token", undefined];
  return actor.via.kind === "session" ? ["session", actor.via.sessionId] : ["token", actor.via.tokenId];
}
