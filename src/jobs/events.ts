/**
 * The queues as they change, as server-sent events (WHATWG HTML, section 9.2). The queues are read once per
 * interval for all listeners of the process, and only while there are listeners.
 */
import type { QueuesEvent } from "../../contract/payloads/service/jobs.ts";
import type { JobState } from "../../contract/vocabulary.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { openEventStreams, type EventStream, type StreamRequest } from "../http/service/event-streams.ts";
import { type QueueName, queueNames } from "../queue/index.ts";
import { listQueues } from "./service.ts";

const pollIntervalMs = 1000;
/** A listener is authenticated again when it reconnects. */
const maxDurationMs = 5 * 60_000;

interface Listener {
  opened: EventStream;
  /** The last event sent, so that none is sent twice. */
  last: string;
}

export interface QueueEvents {
  /** A stream for one listener. Throws `rate_limited` if there are too many listeners. */
  open(request: StreamRequest, actor: Actor): EventStream;
}

/** `draining` ends every stream, since the process is about to end. */
export function openQueueEvents(app: App, draining: AbortSignal | undefined): QueueEvents {
  const listeners = new Set<Listener>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let lastSeen: string | undefined;
  /** Number of times that the last listener left: figures read before that are not sent to later listeners. */
  let timesLeft = 0;
  const open = openEventStreams(draining, {
    slots: { count: 50, perHolder: 8 },
    tooMany: "Too many pages listen already: close one, or ask again.",
    heartbeat: () => "event: alive\ndata: {}\n\n",
    heartbeatMs: 10_000,
    maxUnreadBytes: 256 * 1024,
    maxDurationMs,
    reconnectMs: 1000,
  });

  const look = async (): Promise<void> => {
    if (isLooking || listeners.size === 0) return;
    isLooking = true;
    const before = timesLeft;
    const seen = await currentEvent(app);
    isLooking = false;
    // Listeners that have connected since would take the figures for new ones.
    if (timesLeft !== before) return look();
    lastSeen = seen;
    for (const listener of listeners) send(listener, seen);
  };
  const leave = (listener: Listener) => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    lastSeen = undefined;
    timesLeft++;
  };
  return {
    open(request, actor) {
      const opened = open(request, actor);
      const listener: Listener = { opened, last: "" };
      opened.stream.once("close", () => leave(listener));
      listeners.add(listener);
      if (lastSeen !== undefined) send(listener, lastSeen);
      timer ??= setInterval(() => void look(), pollIntervalMs);
      void look();
      return opened;
    },
  };
}

function send(listener: Listener, event: string): void {
  if (event === listener.last) return;
  listener.last = event;
  listener.opened.write(event);
}

/** Reports to listeners that the queue does not respond, so that they do not take old figures for new ones. */
async function currentEvent(app: App): Promise<string> {
  try {
    const [queues, marks] = await Promise.all([listQueues(app), marksOf(app)]);
    const data: QueuesEvent = { queues, marks };
    return `event: queues\ndata: ${JSON.stringify(data)}\n\n`;
  } catch (error) {
    app.log.warn({ error }, "the queues could not be read for the administrators' page");
    return `event: trouble\ndata: {}\n\n`;
  }
}

/** Equal counts do not mean equal lists, since only a limited number of finished jobs is kept. */
async function marksOf(app: App): Promise<Record<string, string>> {
  const heads = async (queue: QueueName) => {
    const headOf = (state: JobState) => app.queue.inspector.ids(queue, state, 0, 1);
    return (await Promise.all([headOf("active"), headOf("failed"), headOf("completed")])).join("|");
  };
  const [marks, counts] = await Promise.all([Promise.all(queueNames.map(heads)), app.queue.counts()]);
  return Object.fromEntries(
    queueNames.map((name, index) => [name, `${Object.values(counts[name]).join(",")}|${marks[index]}`]),
  );
}
