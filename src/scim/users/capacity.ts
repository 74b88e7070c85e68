/**
 * Room of an organization for users and members, whose count takes longer than all else of a creation once there are
 * thousands. A count allows a tenth of the room that it found, for a minute and in this process, so that several
 * processes together stay within the limit.
 */
import { LRUCache } from "lru-cache";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";

const share = 10;
const validMs = 60_000;
const remembered = 1000;

const roomsOf = perApp(() => new LRUCache<string, { left: number }>({ max: remembered, ttl: validMs }));

/** Whether there is room for one more. `kind` names what is counted; `count` is called only where it is needed. */
export async function hasCapacity(
  app: App,
  kind: "users" | "members",
  tenantId: string,
  limit: number,
  count: () => Promise<number>,
): Promise<boolean> {
  const known = roomsOf(app);
  const key = `${kind} ${tenantId}`;
  const room = known.get(key);
  if (room && room.left > 0) {
    room.left--;
    return true;
  }
  const free = limit - (await count());
  known.set(key, { left: Math.floor(free / share) });
  return free > 0;
}
