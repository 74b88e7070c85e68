/**
 * Changes by other people, from the service's event stream. One tab of the browser reads the stream and passes each
 * message on to the others; when it closes, the browser hands its lock to another tab, which continues.
 */
import type { ChangePayload } from "../../../contract/payloads/service/events.ts";
import { isSessionEnding, sessionEnd } from "../api/client.ts";

export type Change = ChangePayload;
/** `reset`: changes may have been missed, so that everything shown has to be read again. */
export type LiveMessage = { kind: "change"; change: Change } | { kind: "reset" };

const lockName = "svc-live";
/** Sent by a tab that begins to listen: it may have read its data before the latest changes. */
interface Greeting {
  kind: "hello";
}
/** Age up to which changes are repeated for a tab that begins to listen. */
const repeatedMs = 10_000;

/** Calls `receive` for each message until the returned function is called. */
export function listen(receive: (message: LiveMessage) => void): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(lockName);
  const recent: { at: number; message: LiveMessage }[] = [];
  let isLeader = false;
  const publish = (message: LiveMessage) => {
    receive(message);
    channel.postMessage(message);
    recent.push({ at: performance.now(), message });
    while (recent[0] && recent[0].at < performance.now() - repeatedMs) recent.shift();
  };
  const repeat = () => {
    for (const { at, message } of recent)
      if (at > performance.now() - repeatedMs) channel.postMessage(message);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<LiveMessage | Greeting>) => {
    if (data.kind !== "hello") receive(data);
    else if (isLeader) repeat();
  });
  channel.postMessage({ kind: "hello" } satisfies Greeting);
  const lead = () =>
    new Promise<void>((done) => {
      isLeader = true;
      const close = read(publish);
      stop.signal.addEventListener("abort", () => {
        close();
        done();
      });
    });
  navigator.locks.request(lockName, { signal: stop.signal }, lead).catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  });
  return () => {
    stop.abort();
    channel.close();
  };
}

/** Reads the stream until the returned function is called, or a request of this page ends the session. */
function read(publish: (message: LiveMessage) => void): () => void {
  const closing = new AbortController();
  const { signal } = closing;
  let source = isSessionEnding() ? undefined : openSource(publish);
  sessionEnd.addEventListener("begin", () => source?.close(), { signal });
  sessionEnd.addEventListener("fail", () => (source = openSource(publish)), { signal });
  return () => {
    closing.abort();
    source?.close();
  };
}

/** The browser reconnects automatically, with the id of the last event. */
function openSource(publish: (message: LiveMessage) => void): EventSource {
  const source = new EventSource("/api/events");
  let hasFailed = false;
  source.addEventListener("open", () => {
    // A reconnection names the last event; after a longer failure, events may have been missed.
    if (hasFailed) publish({ kind: "reset" });
    hasFailed = false;
  });
  source.addEventListener("error", () => {
    hasFailed = source.readyState === EventSource.CLOSED;
  });
  source.addEventListener("change", (event: MessageEvent<string>) => {
    publish({ kind: "change", change: JSON.parse(event.data) as Change });
  });
  source.addEventListener("reset", () => publish({ kind: "reset" }));
  // The session ended, or access to the organization: the next call of any page shows it.
  source.addEventListener("end", () => {
    source.close();
    publish({ kind: "reset" });
  });
  return source;
}
