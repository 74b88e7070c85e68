/**
 * The queues as they change, as server-sent events (WHATWG HTML, section 9.2). The queues are read once per
 * interval for all listeners of the process, and only while there are listeners.
 */
import { PassThrough, type Readable } from "node:stream";
import type { QueuesEvent } from "../../contract/payloads/jobs.ts";
import type { JobState } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { type QueueName, queueNames } from "../queue/index.ts";
import { listQueues } from "./service.ts";

const lookMs = 1000;
/** Interval of heartbeats: proxies close silent connections, and browsers do not notice lost ones. */
const heartbeatMs = 10_000;
/** Maximum duration of a stream, after which the listener reconnects and is authenticated again. */
const longestMs = 5 * 60_000;
/** Time after which a browser reconnects. */
const returnMs = 1000;
const mostListeners = 50;
const mostPerPerson = 8;
/** Unread bytes of a listener at which it is disconnected. */
const mostUnreadBytes = 256 * 1024;

interface Listener {
  stream: PassThrough;
  userId: string;
  /** The last event sent, so that none is sent twice. */
  last: string;
}

export interface QueueEvents {
  /** A stream for one listener. Throws `rate_limited` if there are too many listeners. */
  open(userId: string): Readable;
}

/** `draining` ends every stream, since the process is about to end. */
export function openQueueEvents(app: App, draining: AbortSignal | undefined): QueueEvents {
  const listeners = new Set<Listener>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let lastSeen: string | undefined;
  /** Number of times that the last listener left: figures read before that are not sent to later listeners. */
  let timesLeft = 0;
  draining?.addEventListener("abort", () => {
    for (const { stream } of listeners) stream.end();
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
    open(userId) {
      if (draining?.aborted) throw new ServiceError("unavailable", "The process is ending.");
      const own = [...listeners].filter((listener) => listener.userId === userId).length;
      if (listeners.size >= mostListeners || own >= mostPerPerson)
        throw new ServiceError("rate_limited", "Too many pages listen already: close one, or ask again.", {
          retryAfterSeconds: 30,
        });
      const listener: Listener = { stream: new PassThrough(), userId, last: "" };
      const { stream } = listener;
      stream.on("error", () => undefined);
      const heartbeat = setInterval(() => stream.write("event: alive\ndata: {}\n\n"), heartbeatMs);
      const end = setTimeout(() => stream.end(), longestMs);
      stream.once("close", () => {
        clearInterval(heartbeat);
        clearTimeout(end);
        leave(listener);
      });
      listeners.add(listener);
      stream.write(`retry: ${returnMs}\n\n`);
      if (lastSeen !== undefined) send(listener, lastSeen);
      timer ??= setInterval(() => void look(), lookMs);
      void look();
      return stream;
    },
  };
}

function send(listener: Listener, event: string): void {
  const { stream } = listener;
  if (event === listener.last || stream.writableEnded) return;
  listener.last = event;
  if (stream.writableLength > mostUnreadBytes) stream.destroy();
  else stream.write(event);
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
