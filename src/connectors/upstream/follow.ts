/**
 * Changes of a server's lists, as the server reports them. Servers may report as many as they like: reports that follow
 * each other closely are one, and their stream is read slowly.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { limits } from "../../../contract/limits.ts";

const lists = ["tools", "prompts", "resources"] as const;
/** The kinds of lists that can change. */
export type ChangedList = (typeof lists)[number];

/** Reports of this time are one. */
const gatherMs = 300;
/** Bytes per second of a stream of reports, each of which has some hundred bytes. */
const bytesPerSecond = 16 * 1024;
/** Time until a stream that has ended is opened again; it doubles with each one that ends within a minute. */
const reopenMs = { least: 5000, most: 5 * 60_000 };
const longMs = 60_000;

export interface Followed {
  /** Subscribes to the changes, after the client has connected. */
  begin(): void;
  end(): void;
}

/** Calls back for changes of the lists of a client's server. */
export function followLists(client: Client, onChange: (list: ChangedList) => void): Followed {
  const ended = new AbortController();
  const gathering = new Map<ChangedList, NodeJS.Timeout>();
  const report = (list: ChangedList) => {
    if (gathering.has(list) || ended.signal.aborted) return;
    const timer = setTimeout(() => {
      gathering.delete(list);
      onChange(list);
    }, gatherMs).unref();
    gathering.set(list, timer);
  };
  for (const list of lists)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => report(list));
  return {
    begin: () => void subscribe(client, report, ended.signal),
    end() {
      ended.abort();
      for (const timer of gathering.values()) clearTimeout(timer);
    },
  };
}

/**
 * Keeps a subscription open at servers of the later protocol version. Those of the earlier one send changes
 * to each client that has connected.
 */
async function subscribe(
  client: Client,
  report: (list: ChangedList) => void,
  ended: AbortSignal,
): Promise<void> {
  if (!client.getDiscoverResult()) return;
  const capabilities = client.getServerCapabilities() ?? {};
  const reported = lists.filter((list) => capabilities[list]?.listChanged === true);
  if (reported.length === 0) return;
  const filter = Object.fromEntries(reported.map((list) => [`${list}ListChanged`, true]));
  for (let short = 0; !ended.aborted;) {
    const opened = performance.now();
    const subscription = await client
      .listen(filter, { timeout: limits.connectorFirstByteMs })
      .catch(() => undefined);
    await subscription?.closed;
    short = performance.now() - opened < longMs ? short + 1 : 0;
    const pause = Math.min(reopenMs.most, reopenMs.least * 2 ** short);
    await sleep(pause, undefined, { signal: ended, ref: false }).catch(() => undefined);
    // Changes in between were not reported.
    for (const list of reported) report(list);
  }
}

/** Opens an interrupted stream of the earlier protocol version again, not as soon as its server asks for. */
export function reconnectLater(reconnect: () => void, delayMs: number, attempt: number): () => void {
  const pause = Math.min(reopenMs.most, Math.max(delayMs, reopenMs.least * 2 ** attempt));
  const timer = setTimeout(reconnect, pause).unref();
  return () => clearTimeout(timer);
}

/** A stream of events that is read no faster than its limit, so that the sender has to wait. */
export function readSlowly(response: Response): Response {
  const { body, status, headers } = response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  if (!body || !isStream) return response;
  const reader = body.getReader();
  const slow = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        await sleep((value.length / bytesPerSecond) * 1000, undefined, { ref: false });
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(slow, { status, headers });
}
