/**
 * Admission of requests: how many of an endpoint and of a caller are in progress or wait, and the time that each has.
 * Credentials with too many requests are refused first, without a query.
 */
import { openSlots, type Slots } from "../../../contract/concurrency/slots.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import { ServiceError } from "../../errors.ts";
import type { RequestInfo } from "../../http/route.ts";
import type { EndpointOptions } from "./options.ts";
import { openPending } from "./pending.ts";

export interface Admitted {
  actor: Actor;
  /** Key of the caller in limits. */
  caller: string;
  /** Aborted when the request ends: its response was sent, or the caller has left or never reads. */
  end: AbortSignal;
  /** Gives up the slot and the time limit, for a stream, which has limits of its own in place of those of calls. */
  unlimit(): void;
}

/** Throws `rate_limited`, or as `identify`. */
export function openAdmission(
  { concurrency, callMs, transferMs }: Pick<EndpointOptions, "concurrency" | "callMs" | "transferMs">,
  identify: (info: RequestInfo) => Promise<Actor>,
): (info: RequestInfo) => Promise<Admitted> {
  const slots = openSlots(concurrency);
  const { count, perCaller = count / 2, waiting } = concurrency;
  const countPending = openPending(perCaller + waiting / 2);
  return async (info) => {
    if (!countPending(info)) throw busy();
    const { end, endLimit } = watchEnd(info, callMs + transferMs);
    const actor = await identify(info);
    const caller = actor.kind === "anonymous" ? (actor.origin.ipHash ?? "unknown") : actorKey(actor);
    const release = await takeSlot(slots, caller, end);
    const unlimit = () => {
      release();
      endLimit();
    };
    return { actor, caller, end, unlimit };
  };
}

/** Takes a slot until the end of the request, or until the returned function is called. */
async function takeSlot(slots: Slots, caller: string, end: AbortSignal): Promise<() => void> {
  const release = await slots.take(caller);
  if (!release) throw busy();
  end.addEventListener("abort", release);
  if (end.aborted) release();
  end.throwIfAborted();
  return release;
}

function busy(): ServiceError {
  return new ServiceError("rate_limited", "Too many calls at once. Wait 1 s and try again.", {
    retryAfterSeconds: 1,
  });
}

/** Made once: its stack would take longer than the rest of the end of a request. */
const callerLeft = new ServiceError("unavailable", "The connection was closed: call again.");

/** Closes the connection after a time, unless `endLimit` is called before. */
function watchEnd(info: RequestInfo, maxMs: number): { end: AbortSignal; endLimit: () => void } {
  const end = new AbortController();
  const timer = setTimeout(() => info.disconnect(), maxMs).unref();
  const endLimit = () => clearTimeout(timer);
  info.onClose(() => {
    endLimit();
    end.abort(callerLeft);
  });
  return { end: end.signal, endLimit };
}

/** A response that its caller does not read would stay in memory. */
export function limitReading(info: RequestInfo, transferMs: number): void {
  const timer = setTimeout(() => info.disconnect(), transferMs).unref();
  info.onClose(() => clearTimeout(timer));
}
