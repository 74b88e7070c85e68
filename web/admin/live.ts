/**
 * Updates the page with the state of the queues: by the service's events or, if they don't arrive, by polling. The page
 * always shows which of the two applies, so that old figures are recognizable.
 */
import type { QueuePayload, QueuesEvent } from "../../contract/payloads/jobs.ts";
import { api, CallError } from "./api.ts";

/** `trouble`: the queue does not respond. `away`: the service does not. `ended`: the session has ended. */
export type LiveState = "connecting" | "live" | "polling" | "trouble" | "away" | "ended";

export interface LiveListener {
  state(state: LiveState): void;
  /** `marks` is undefined while polling: any list may have changed then. */
  queues(queues: QueuePayload[], marks: Record<string, string> | undefined): void;
}

const pollMs = 4000;
/** A stream that reconnects within this time is not shown as interrupted. */
const patienceMs = 3000;
/** The service sends an event at least every ten seconds. */
const silenceMs = 25_000;
const reopenMs = 10_000;

export function listen(listener: LiveListener): void {
  let source: EventSource | undefined;
  let isLive = false;
  /** The last state that this stream sent; it sends each state once. */
  let lastState: "live" | "trouble" | undefined;
  let isEnded = false;
  let patience: number | undefined;
  let silence: number | undefined;
  let polling: number | undefined;

  const onEvent = () => {
    clearTimeout(patience);
    clearTimeout(silence);
    clearTimeout(polling);
    patience = polling = undefined;
    silence = setTimeout(lost, silenceMs);
    isLive = true;
  };
  const on = (name: string, act: (data: string) => void) =>
    source?.addEventListener(name, (event: MessageEvent<string>) => {
      onEvent();
      act(event.data);
    });
  const open = () => {
    source?.close();
    lastState = undefined;
    source = new EventSource("/api/admin/events");
    on("queues", (data) => {
      const { queues, marks } = JSON.parse(data) as QueuesEvent;
      listener.state((lastState = "live"));
      listener.queues(queues, marks);
    });
    on("trouble", () => listener.state((lastState = "trouble")));
    source.addEventListener("alive", () => {
      // Before the first state of the queues, polling continues.
      if (lastState === undefined) return;
      onEvent();
      listener.state(lastState);
    });
    source.addEventListener("error", () => {
      patience ??= setTimeout(lost, isLive ? patienceMs : 0);
    });
  };
  const lost = () => {
    patience = undefined;
    clearTimeout(silence);
    if (isEnded) return;
    isLive = false;
    if (polling === undefined) void poll();
    setTimeout(() => {
      if (!isLive && !isEnded) open();
    }, reopenMs);
  };
  const poll = async () => {
    // Set for the whole round, so that two rounds never run concurrently.
    polling = setTimeout(() => undefined, 0);
    try {
      const queues = await api.queues();
      if (isLive) return;
      listener.state("polling");
      listener.queues(queues, undefined);
    } catch (error) {
      if (isLive) return;
      isEnded = error instanceof CallError && error.status === 404;
      listener.state(isEnded ? "ended" : "away");
      if (isEnded) return source?.close();
    }
    polling = setTimeout(() => void poll(), pollMs);
  };
  // A page that is restored from the back-forward cache has lost its stream.
  addEventListener("pageshow", (event) => {
    if (event.persisted) open();
  });
  listener.state("connecting");
  open();
}
