import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openEventStreams } from "../../src/http/service/event-streams.ts";
import { until } from "../support/until.ts";

const actor = { kind: "anonymous", origin: { ipHash: "x", source: "api", client: "api" } } as const;
const options = {
  slots: { count: 100, perHolder: 1 },
  tooMany: "Too many streams.",
  heartbeat: () => ": alive\n\n",
  heartbeatMs: 1,
  maxUnreadBytes: 1000,
};

function newRequest() {
  const closers: (() => void)[] = [];
  const request = {
    isDisconnected: false,
    onClose: (closer: () => void) => void closers.push(closer),
    disconnect() {
      request.isDisconnected = true;
      for (const closer of closers) closer();
    },
  };
  return request;
}

describe("an event stream", () => {
  it("sends heartbeats, and ends after its maximum duration", async () => {
    const open = openEventStreams(undefined, { ...options, maxDurationMs: 200, reconnectMs: 7 });
    const { stream } = open(newRequest(), actor);
    let text = "";
    let isEnded = false;
    stream.on("data", (data: Buffer) => (text += data.toString())).on("end", () => (isEnded = true));

    await until("the end", () => isEnded);
    assert.match(text, /^retry: 7\n\n: alive\n\n/);
  });

  it("of a caller that does not read is closed with the connection, which frees its slot", async () => {
    const open = openEventStreams(undefined, options);
    const request = newRequest();
    const { stream, write } = open(request, actor);
    assert.throws(() => open(newRequest(), actor), /Too many streams/);

    write("x".repeat(2000));

    await until("the disconnection by the next heartbeat", () => request.isDisconnected);
    assert.ok(stream.destroyed);
    open(newRequest(), actor).stream.destroy();
  });
});
