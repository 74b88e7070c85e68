/**
 * Streams of changes (server-sent events; WHATWG HTML, section 9.2). The changes are looked up once per interval for
 * all listeners of the process, and only while there are listeners. Each listener is authenticated again before
 * anything is sent, and at least every 20 seconds, so that a stream ends with its session, token or membership.
 */
import { PassThrough, type Readable } from "node:stream";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { limits } from "../../contract/limits.ts";
import { actorKey } from "../access/actor.ts";
import { openStreamSlots } from "../access/stream-slots.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { logsOf, resume, serve, write, type Listener, type Subscription } from "./deliver.ts";
import { openRecent } from "./recent.ts";

const lookMs = 1000;
/** Interval of heartbeats: proxies close silent connections, and browsers do not notice lost ones. */
const heartbeatMs = 15_000;
/** Maximum duration of a stream, after which the listener reconnects. */
const longestMs = 10 * 60_000;
/** Time after which a browser reconnects. */
const returnMs = 2000;
const maxListeners = 1000;
/** Listeners that are served at a time. */
const servedAtOnce = 8;

export interface ChangeEvents {
  /** A stream for one listener. Throws `rate_limited` if there are too many. */
  open(subscription: Subscription): Readable;
}

/** `draining` ends every stream, since the process is about to end. */
export function openChangeEvents(app: App, draining: AbortSignal | undefined): ChangeEvents {
  const listeners = new Set<Listener>();
  const slots = openStreamSlots({ count: maxListeners, perHolder: limits.eventStreams });
  let recent = openRecent(app);
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  draining?.addEventListener("abort", () => {
    for (const { stream } of listeners) stream.end();
  });

  const look = async (): Promise<void> => {
    if (isLooking || listeners.size === 0) return;
    isLooking = true;
    try {
      const found = await recent.look(logsOf(listeners));
      await mapLimit([...listeners], servedAtOnce, (listener) => serve(app, listener, found));
    } catch (error) {
      app.log.warn({ error }, "the changes for listeners could not be read");
    } finally {
      isLooking = false;
    }
  };
  const leave = (listener: Listener) => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    recent = openRecent(app);
  };
  return {
    open(subscription) {
      if (draining?.aborted) throw new ServiceError("unavailable", "The process is ending.");
      const key = actorKey(subscription.actor);
      const release = slots.take(subscription.actor);
      if (!release) throw tooManyStreams();
      const now = app.now().getTime();
      const stream = new PassThrough();
      const listener: Listener = { ...subscription, stream, key, since: now - lookMs, authenticatedAt: now };
      stream.on("error", () => undefined);
      const heartbeat = setInterval(() => write(listener, "alive", {}, app), heartbeatMs);
      const end = setTimeout(() => stream.end(), longestMs);
      stream.once("close", () => {
        clearInterval(heartbeat);
        clearTimeout(end);
        release();
        leave(listener);
      });
      listeners.add(listener);
      stream.write(`retry: ${returnMs}\n\n`);
      write(listener, "alive", {}, app);
      app.background("resume a stream of changes", () => resume(app, listener));
      timer ??= setInterval(() => void look(), lookMs);
      void look();
      return stream;
    },
  };
}

const tooManyStreams = () =>
  new ServiceError(
    "rate_limited",
    `Too many streams of changes are open: at most ${limits.eventStreams} in the browsers of one person, as many of ` +
      "their programs, and as many of an organization's programs. Close one, or read the lists again.",
    { retryAfterSeconds: 30 },
  );
