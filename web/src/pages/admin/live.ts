/**
 * The state of the queues as it changes: by the service's events or, if they don't arrive, by polling. The page always
 * shows which of the two applies, so that old figures are recognizable.
 */
import type { QueuesEvent } from "../../../../contract/payloads/service/jobs.ts";
import type { Queue } from "../../api/admin.ts";
import { ApiError } from "../../api/client.ts";

/** `trouble`: the queue does not respond. `away`: the service does not. `ended`: the session has ended. */
export type LiveState = "connecting" | "live" | "polling" | "trouble" | "away" | "ended";

export interface LiveListener {
  state(state: LiveState): void;
  /** `marks` is undefined while polling: any list may have changed then. */
  queues(queues: Queue[], marks: Record<string, string> | undefined): void;
  /** Reads the queues when no event arrives. */
  poll(): Promise<Queue[]>;
}

const pollMs = 4000;
/** A stream that reconnects within this time is not shown as interrupted. */
const patienceMs = 3000;
/** The service sends an event at least every ten seconds. */
const silenceMs = 25_000;
const reopenMs = 10_000;

/** Listens until the returned function is called. */
export function listen(listener: LiveListener): () => void {
  let source: EventSource | undefined;
  let isLive = false;
  /** The last state that this stream sent; it sends each state once. */
  let lastState: "live" | "trouble" | undefined;
  let isEnded = false;
  const timers: Partial<Record<"patience" | "silence" | "polling" | "reopen", number>> = {};
  const stopTimers = (...names: (keyof typeof timers)[]) => {
    for (const name of names) {
      clearTimeout(timers[name]);
      delete timers[name];
    }
  };

  const onEvent = () => {
    stopTimers("patience", "silence", "polling");
    timers.silence = window.setTimeout(lost, silenceMs);
    isLive = true;
  };
  const open = () => {
    source?.close();
    lastState = undefined;
    source = new EventSource("/api/admin/events");
    source.addEventListener("queues", (event: MessageEvent<string>) => {
      onEvent();
      const { queues, marks } = JSON.parse(event.data) as QueuesEvent;
      listener.state((lastState = "live"));
      listener.queues(queues, marks);
    });
    source.addEventListener("trouble", () => {
      onEvent();
      listener.state((lastState = "trouble"));
    });
    source.addEventListener("alive", () => {
      // Before the first state of the queues, polling continues.
      if (lastState === undefined) return;
      onEvent();
      listener.state(lastState);
    });
    source.addEventListener("error", () => {
      timers.patience ??= window.setTimeout(lost, isLive ? patienceMs : 0);
    });
  };
  const lost = () => {
    stopTimers("patience", "silence");
    if (isEnded) return;
    isLive = false;
    if (timers.polling === undefined) void poll();
    stopTimers("reopen");
    timers.reopen = window.setTimeout(() => {
      if (!isLive && !isEnded) open();
    }, reopenMs);
  };
  const poll = async () => {
    // Set for the whole round, so that two rounds never run concurrently.
    timers.polling = window.setTimeout(() => undefined, 0);
    try {
      const queues = await listener.poll();
      if (isLive || isEnded) return;
      listener.state("polling");
      listener.queues(queues, undefined);
    } catch (error) {
      if (isLive || isEnded) return;
      isEnded = error instanceof ApiError && error.status === 404;
      listener.state(isEnded ? "ended" : "away");
      if (isEnded) return source?.close();
    }
    timers.polling = window.setTimeout(() => void poll(), pollMs);
  };
  // A page that is restored from the back-forward cache has lost its stream.
  const onPageShow = (event: PageTransitionEvent) => {
    if (event.persisted) open();
  };
  addEventListener("pageshow", onPageShow);
  listener.state("connecting");
  open();
  return () => {
    isEnded = true;
    source?.close();
    stopTimers("patience", "silence", "polling", "reopen");
    removeEventListener("pageshow", onPageShow);
  };
}
