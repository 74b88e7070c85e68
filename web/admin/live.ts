/**
 * Keeps the page told of the queues: by the service's events, or, where they do not come, by asking every few seconds.
 * The page says at any time which of the two it is, so that nobody takes old figures for new ones.
 */
import type { QueuePayload, QueuesEvent } from "../../contract/payloads/jobs.ts";
import { api, CallError } from "./api.ts";

/** `away`: neither events nor answers. `ended`: this is no administrator's session any more. */
export type LiveState = "connecting" | "live" | "polling" | "trouble" | "away" | "ended";

export interface LiveListener {
  state(state: LiveState): void;
  /** `marks` is undefined while polling: any list may have changed then. */
  queues(queues: QueuePayload[], marks: Record<string, string> | undefined): void;
}

const pollMs = 4000;
/** A stream that is cut comes back by itself within this time, and nothing needs to be said of it. */
const patienceMs = 3000;
/** The service says every ten seconds that it is there. */
const silenceMs = 25_000;
const reopenMs = 10_000;

export function listen(listener: LiveListener): void {
  let source: EventSource | undefined;
  let isLive = false;
  /** What this stream has said last: it says nothing twice. */
  let said: "live" | "trouble" | undefined;
  let isEnded = false;
  let patience: number | undefined;
  let silence: number | undefined;
  let polling: number | undefined;

  const heard = () => {
    clearTimeout(patience);
    clearTimeout(silence);
    clearTimeout(polling);
    patience = polling = undefined;
    silence = setTimeout(lost, silenceMs);
    isLive = true;
  };
  const on = (name: string, act: (data: string) => void) =>
    source?.addEventListener(name, (event: MessageEvent<string>) => {
      heard();
      act(event.data);
    });
  const open = () => {
    source?.close();
    said = undefined;
    source = new EventSource("/api/admin/events");
    on("queues", (data) => {
      const { queues, marks } = JSON.parse(data) as QueuesEvent;
      listener.state((said = "live"));
      listener.queues(queues, marks);
    });
    on("trouble", () => listener.state((said = "trouble")));
    source.addEventListener("alive", () => {
      // Until it has told of the queues, there is nothing to go by but asking.
      if (said === undefined) return;
      heard();
      listener.state(said);
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
    // Held from here on, so that two rounds never run at once.
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
  // A page that is left and come back to has lost its stream.
  addEventListener("pageshow", (event) => {
    if (event.persisted) open();
  });
  listener.state("connecting");
  open();
}
