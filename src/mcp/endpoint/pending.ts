/**
 * Limit of the requests in progress by credential, counted before anything is looked up: one caller who sends thousands
 * at once is refused without a query or a read of the body, so that others hardly wait for them. The limit of slots
 * (`admission.ts`) is per caller, who is known after a query only.
 */
import { createHash } from "node:crypto";
import type { RequestInfo } from "../../http/route.ts";

/** Counts a request until it is closed. False if its credential, or its address without one, has too many. */
export type Pending = (info: RequestInfo) => boolean;

/** `most`: requests of one credential, so many that it is refused above that once it is known, too. */
export function openPending(most: number): Pending {
  const counts = new Map<string, number>();
  return (info) => {
    const key = keyOf(info);
    const count = counts.get(key) ?? 0;
    if (count >= most) return false;
    counts.set(key, count + 1);
    info.onClose(() => {
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    });
    return true;
  };
}

function keyOf({ header, address }: RequestInfo): string {
  const authorization = header("authorization");
  return authorization === "" ? address : createHash("sha256").update(authorization).digest("base64");
}
