/** Streams of events that stay open: bounded in number, kept alive, and ended with the process. */
import { PassThrough } from "node:stream";
import { limits } from "../../../contract/limits.ts";
import type { Actor } from "../../access/actor.ts";
import { openStreamSlots } from "../../access/stream-slots.ts";
import { ServiceError } from "../../errors.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";

/** Interval of comments that keep the connection open, and by which a lost one is noticed. */
const heartbeatMs = 15_000;
const maxStreams = 500;
/** Unread bytes of a caller at which the connection is closed. */
const mostUnreadBytes = 64 * 1024;

export interface EventStream {
  stream: PassThrough;
  write(text: string): void;
  /** Ends the stream with what its generation of the protocol sends last. */
  end(): void;
}

/** Opens a stream for a caller. Throws `rate_limited` if there are too many. */
export type EventStreams = (info: RequestInfo, actor: Actor) => EventStream;

/** `draining` ends every stream, since the process is about to end. */
export function openEventStreams(draining: AbortSignal | undefined): EventStreams {
  const streams = new Set<EventStream>();
  const slots = openStreamSlots({ count: maxStreams, perHolder: limits.connectorStreamsPerUser });
  draining?.addEventListener("abort", () => {
    for (const { end } of streams) end();
  });
  return (info, actor) => {
    if (draining?.aborted)
      throw new ServiceError("unavailable", "The service is shutting down: connect again.");
    const release = slots.take(actor);
    if (!release) throw tooManyStreams();
    const stream = new PassThrough();
    const write = (text: string) => {
      if (stream.writableEnded || stream.destroyed) return;
      if (stream.writableLength + stream.readableLength > mostUnreadBytes) info.disconnect();
      else stream.write(text);
    };
    const opened: EventStream = { stream, write, end: () => stream.end() };
    streams.add(opened);
    const heartbeat = setInterval(() => write(": alive\n\n"), heartbeatMs);
    const close = () => {
      clearInterval(heartbeat);
      streams.delete(opened);
      release();
      stream.destroy();
    };
    stream.on("error", () => undefined);
    stream.once("close", close);
    info.onClose(close);
    return opened;
  };
}

const tooManyStreams = () =>
  new ServiceError(
    "rate_limited",
    `Too many clients wait for changes: at most ${limits.connectorStreamsPerUser} of one person, and as many of all ` +
      "tokens of an organization. Close one, or read the lists again.",
    { retryAfterSeconds: 30 },
  );

export const streamHead = {
  type: "text/event-stream; charset=utf-8",
  headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" },
};

/** The response with a stream. */
export const streamReply = ({ stream }: EventStream) => new Reply(stream, streamHead);
