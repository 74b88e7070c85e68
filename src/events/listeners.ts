/**
 * Streams of changes (server-sent events; WHATWG HTML, section 9.2). The changes are looked up once per interval for
 * all listeners of the process, and only while there are listeners. A listener is authenticated again before anything
 * is sent, after each event that may have ended its credential or membership, and by reconnecting at least every ten
 * minutes. An idle one costs a heartbeat.
 */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { limits } from "../../contract/limits.ts";
import { actorKey } from "../access/actor.ts";
import type { App } from "../app.ts";
import { openEventStreams, type EventStream, type StreamRequest } from "../http/service/event-streams.ts";
import { eventText, resume, serve } from "./deliver.ts";
import { listEnded } from "./ended-credentials.ts";
import type { Listener, Subscription } from "./listener.ts";
import { openRecent } from "./recent.ts";
import { Listeners } from "./registry.ts";

const pollIntervalMs = 1000;
const maxListeners = 20_000;
/** Listeners that are served at a time: their look-ups share queries. */
const listenerConcurrency = 100;
/** Interval at which sessions and tokens are looked up that may have ended without an event. */
const credentialsMs = 20_000;

export interface ChangeEvents {
  /** A stream for one listener. Throws `rate_limited` if there are too many. */
  open(request: StreamRequest, subscription: Subscription): EventStream;
}

/** `draining` ends every stream, since the process is about to end. */
export function openChangeEvents(app: App, draining: AbortSignal | undefined): ChangeEvents {
  const listeners = new Listeners();
  const alive = () => eventText(app, "alive", {});
  const open = openEventStreams(draining, {
    slots: { count: maxListeners, perHolder: limits.eventStreams },
    tooMany:
      `Too many streams of changes are open: at most ${limits.eventStreams} in the browsers of one person, as many of ` +
      "their programs, and as many of an organization's programs. Close one, or read the lists again.",
    heartbeat: alive,
    heartbeatMs: 25_000,
    maxUnreadBytes: 256 * 1024,
    maxDurationMs: 10 * 60_000,
    reconnectMs: 2000,
  });
  let recent = openRecent(app);
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  let credentialsAt = 0;

  /** Listeners whose credential has probably ended; none until the next check is due. */
  const doubtful = async (): Promise<Set<Listener>> => {
    const now = app.now().getTime();
    if (now - credentialsAt < credentialsMs) return new Set();
    credentialsAt = now;
    return new Set(await listEnded(app, listeners.all()));
  };
  const look = async (): Promise<void> => {
    if (isLooking || listeners.size === 0) return;
    isLooking = true;
    try {
      const [found, ended] = await Promise.all([recent.look(listeners.logs()), doubtful()]);
      const concerned = new Set([...listeners.concerned(found), ...ended]);
      await mapLimit([...concerned], listenerConcurrency, async (listener) => {
        const { actor } = listener;
        await serve(app, listener, found, ended.has(listener));
        if (listener.actor !== actor && listeners.has(listener)) listeners.put(listener);
      });
    } catch (error) {
      app.log.warn({ error }, "the changes for listeners could not be read");
    } finally {
      isLooking = false;
    }
  };
  const leave = (listener: Listener) => {
    listeners.remove(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    recent = openRecent(app);
  };
  return {
    open(request, subscription) {
      const { actor } = subscription;
      const opened = open(request, actor);
      const now = app.now().getTime();
      const listener: Listener = {
        ...subscription,
        opened,
        key: actorKey(actor),
        since: now - pollIntervalMs,
      };
      opened.stream.once("close", () => leave(listener));
      listeners.put(listener);
      opened.write(alive());
      app.background("resume a stream of changes", () => resume(app, listener));
      timer ??= setInterval(() => void look(), pollIntervalMs);
      void look();
      return opened;
    },
  };
}
