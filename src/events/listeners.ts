/**
 * Streams of changes (server-sent events; WHATWG HTML, section 9.2). The changes are looked up once per interval for
 * all listeners of the process, and only while there are listeners. Each listener is authenticated again before
 * anything is sent, and at least every 20 seconds, so that a stream ends with its session, token or membership.
 */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { limits } from "../../contract/limits.ts";
import { actorKey } from "../access/actor.ts";
import type { App } from "../app.ts";
import { openEventStreams, type EventStream, type StreamRequest } from "../http/service/event-streams.ts";
import { eventText, logsOf, resume, serve, type Listener, type Subscription } from "./deliver.ts";
import { openRecent } from "./recent.ts";

const pollIntervalMs = 1000;
const maxListeners = 1000;
/** Listeners that are served at a time. */
const listenerConcurrency = 8;

export interface ChangeEvents {
  /** A stream for one listener. Throws `rate_limited` if there are too many. */
  open(request: StreamRequest, subscription: Subscription): EventStream;
}

/** `draining` ends every stream, since the process is about to end. */
export function openChangeEvents(app: App, draining: AbortSignal | undefined): ChangeEvents {
  const listeners = new Set<Listener>();
  const alive = () => eventText(app, "alive", {});
  const open = openEventStreams(draining, {
    slots: { count: maxListeners, perHolder: limits.eventStreams },
    tooMany:
      `Too many streams of changes are open: at most ${limits.eventStreams} in the browsers of one person, as many of ` +
      "their programs, and as many of an organization's programs. Close one, or read the lists again.",
    heartbeat: alive,
    heartbeatMs: 15_000,
    maxUnreadBytes: 256 * 1024,
    maxDurationMs: 10 * 60_000,
    reconnectMs: 2000,
  });
  let recent = openRecent(app);
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const look = async (): Promise<void> => {
    if (isLooking || listeners.size === 0) return;
    isLooking = true;
    try {
      const found = await recent.look(logsOf(listeners));
      await mapLimit([...listeners], listenerConcurrency, (listener) => serve(app, listener, found));
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
    open(request, subscription) {
      const { actor } = subscription;
      const opened = open(request, actor);
      const now = app.now().getTime();
      const listener: Listener = {
        ...subscription,
        opened,
        key: actorKey(actor),
        since: now - pollIntervalMs,
        authenticatedAt: now,
      };
      opened.stream.once("close", () => leave(listener));
      listeners.add(listener);
      opened.write(alive());
      app.background("resume a stream of changes", () => resume(app, listener));
      timer ??= setInterval(() => void look(), pollIntervalMs);
      void look();
      return opened;
    },
  };
}
