/**
 * Streams that report changes of lists: of a GET request in the protocol version with `initialize`, of
 * `subscriptions/listen` in the one after it. A stream ends with its caller's credential, and with the process.
 */
import { Readable } from "node:stream";
import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpServer,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import { limits } from "../../../contract/limits.ts";
import type { Reply } from "../../http/route.ts";
import { openEventStreams, streamReply, type EventStream } from "../../http/service/event-streams.ts";
import { watchedLists, type Forwarder, type ListMarks, type WatchedList } from "../forwarding/forwarder.ts";
import { toReply } from "./answer.ts";
import { watchLists, type Listening } from "./watch-lists.ts";

const maxStreams = 500;

interface Subscribing extends Listening {
  request: Request;
  body: unknown;
  build(): McpServer;
}

export interface ListStreams {
  /** The stream of a client with `initialize`. `Last-Event-ID` names the lists that it has. */
  listen(listening: Listening): Promise<Reply>;
  /** The stream of a subscription, or its refusal. */
  subscribe(subscribing: Subscribing): Promise<Reply>;
}

/** `draining` ends every stream, since the process is about to end. */
export function openListStreams(forwarder: Forwarder, draining: AbortSignal | undefined): ListStreams {
  const open = openEventStreams(draining, {
    slots: { count: maxStreams, perHolder: limits.connectorStreamsPerUser },
    tooMany:
      `Too many clients wait for changes: at most ${limits.connectorStreamsPerUser} of one person, and as many of all ` +
      "tokens of an organization. Close one, or read the lists again.",
    heartbeat: () => ": alive\n\n",
    heartbeatMs: 15_000,
    maxUnreadBytes: 64 * 1024,
  });
  return {
    async listen(listening) {
      if (listening.info.isHead) return streamReply();
      const opened = open(listening.info, listening.actor);
      const known = marksIn(listening.info.header("last-event-id"));
      let isFirst = true;
      await watchLists(forwarder, listening, opened, {
        lists: watchedLists,
        known,
        compared(lists, marks) {
          const id = `id: ${idOf(marks)}\n`;
          // An event without data tells the client the id with which it can ask for what it misses.
          if (isFirst && lists.length === 0) opened.write(`${id}data:\n\n`);
          isFirst = false;
          for (const list of lists) opened.write(`${id}event: message\ndata: ${notificationOf(list)}\n\n`);
        },
      });
      return streamReply(opened);
    },

    async subscribe(subscribing) {
      const { request, body, build } = subscribing;
      const bus = new InMemoryServerEventBus();
      const handler = createMcpHandler(build, { legacy: "reject", bus, keepAliveMs: 0 });
      const response = await handler.fetch(request, { parsedBody: body });
      if (!response.body || !isStream(response)) return toReply(response);
      let opened: EventStream;
      try {
        opened = open(subscribing.info, subscribing.actor);
      } catch (error) {
        await handler.close();
        throw error;
      }
      opened.end = () => void handler.close();
      opened.stream.once("close", opened.end);
      void forward(Readable.fromWeb(response.body), opened);
      await watchLists(forwarder, subscribing, opened, {
        lists: listsIn(body),
        known: {},
        compared(lists) {
          for (const list of lists) bus.publish(eventOf(list));
        },
      });
      return streamReply(opened);
    },
  };
}

/** Passes on what the library writes, whole messages, up to the last one. */
async function forward(from: Readable, { stream, write }: EventStream): Promise<void> {
  try {
    for await (const piece of from as AsyncIterable<Buffer>) write(Buffer.from(piece).toString("utf8"));
  } catch {
    // The caller has left.
  }
  stream.end();
}

const isStream = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/** The lists whose changes a subscription asks for; the library has validated it. */
function listsIn(body: unknown): WatchedList[] {
  const { params } = body as { params?: { notifications?: Record<string, unknown> } };
  return watchedLists.filter((list) => params?.notifications?.[`${list}ListChanged`] === true);
}

const notificationOf = (list: WatchedList) =>
  JSON.stringify({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });

const eventOf = (list: WatchedList): ServerEvent => ({ kind: `${list}_list_changed` });

const idOf = (marks: ListMarks) => watchedLists.map((list) => marks[list] ?? "").join(".");

/** The marks in the id of an event; none if it is not one of these. */
function marksIn(id: string): ListMarks {
  const parts = id.split(".");
  if (parts.length !== watchedLists.length || !parts.every((part) => /^[\w-]{16}$/.test(part))) return {};
  return Object.fromEntries(watchedLists.map((list, at) => [list, parts[at]!]));
}
