/**
 * Streams of server-sent events (WHATWG HTML, section 9.2): limited in number, kept alive by heartbeats, closed if the
 * caller does not read them, and ended with the process.
 */
import { PassThrough } from "node:stream";
import type { Actor } from "../../access/actor.ts";
import { openStreamSlots, type StreamSlotOptions } from "../../access/stream-slots.ts";
import { ServiceError } from "../../errors.ts";
import { Reply, type RequestInfo } from "../route.ts";

interface EventStreamOptions {
  slots: StreamSlotOptions;
  /** The refusal of a stream too many. */
  tooMany: string;
  /** Sent at this interval: proxies close silent connections, and browsers do not notice lost ones. */
  heartbeat: () => string;
  heartbeatMs: number;
  /** Unread bytes of a caller at which the connection is closed. */
  maxUnreadBytes: number;
  /** Maximum duration of a stream, after which the caller reconnects; default: none. */
  maxDurationMs?: number;
  /** Time after which a browser reconnects; default: the browser's own. */
  reconnectMs?: number;
}

export interface EventStream {
  stream: PassThrough;
  write(text: string): void;
  /** Ends the stream. A protocol that sends something last replaces it. */
  end(): void;
}

/** The request for a stream. */
export type StreamRequest = Pick<RequestInfo, "onClose" | "disconnect">;

/** Opens a stream for a caller. Throws `rate_limited` if there are too many, and `unavailable` at the end. */
export type OpenEventStream = (request: StreamRequest, actor: Actor) => EventStream;

/** `draining` ends every stream, since the process is about to end. */
export function openEventStreams(
  draining: AbortSignal | undefined,
  options: EventStreamOptions,
): OpenEventStream {
  const { heartbeatMs, maxUnreadBytes, maxDurationMs, reconnectMs } = options;
  const streams = new Set<EventStream>();
  const slots = openStreamSlots(options.slots);
  draining?.addEventListener("abort", () => {
    for (const { end } of streams) end();
  });
  return (request, actor) => {
    if (draining?.aborted)
      throw new ServiceError("unavailable", "The service is shutting down: connect again.");
    const release = slots.take(actor);
    if (!release) throw new ServiceError("rate_limited", options.tooMany, { retryAfterSeconds: 30 });
    const stream = new PassThrough();
    const write = (text: string) => {
      if (stream.writableEnded || stream.destroyed) return;
      if (stream.writableLength + stream.readableLength > maxUnreadBytes) request.disconnect();
      else stream.write(text);
    };
    const opened: EventStream = { stream, write, end: () => stream.end() };
    streams.add(opened);
    const heartbeat = setInterval(() => write(options.heartbeat()), heartbeatMs);
    // Spread, so that streams which begin together, as after a restart, do not end together as well.
    const durationMs = maxDurationMs === undefined ? undefined : maxDurationMs * (1 - Math.random() / 4);
    const limit = durationMs === undefined ? undefined : setTimeout(() => opened.end(), durationMs);
    const close = () => {
      clearInterval(heartbeat);
      clearTimeout(limit);
      streams.delete(opened);
      release();
      stream.destroy();
    };
    stream.on("error", () => undefined);
    stream.once("close", close);
    request.onClose(close);
    if (reconnectMs !== undefined) write(`retry: ${reconnectMs}\n\n`);
    return opened;
  };
}

const head = {
  type: "text/event-stream; charset=utf-8",
  headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" },
};

/** The response with a stream; without one, for a request of the headers only. */
export const streamReply = (opened?: EventStream) => new Reply(opened ? opened.stream : "", head);
