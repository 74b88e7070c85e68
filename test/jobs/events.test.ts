import assert from "node:assert/strict";
import http from "node:http";
import { afterEach, describe, it } from "node:test";
import type { QueuesEvent } from "../../contract/payloads/service/jobs.ts";
import { ServiceError } from "../../src/errors.ts";
import { openQueueEvents } from "../../src/jobs/events.ts";
import { setUpService } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const pageRequest = { onClose: () => undefined, disconnect: () => undefined };
const actor = { kind: "anonymous", origin: { ipHash: "x", source: "api", client: "api" } } as const;

interface Stream {
  headers: http.IncomingHttpHeaders;
  status: number;
  text: string;
  isEnded: boolean;
  destroy(): void;
}

const eventsOf = (text: string) =>
  [...text.matchAll(/event: queues\ndata: (.*)\n\n/g)].map((match) => JSON.parse(match[1]!) as QueuesEvent);

describe("the queues as events", async () => {
  const streams: Stream[] = [];

  const { service } = await setUpService({ ownQueue: true });
  const admin = await service.newUser();

  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.destroy();
    await new Promise((done) => setTimeout(done, 50));
  });

  function open(token = admin.token): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, "accept-encoding": "gzip, br" };
      const request = http.get(new URL("/api/admin/events", service.url), { headers }, (response) => {
        const stream: Stream = {
          headers: response.headers,
          status: response.statusCode!,
          text: "",
          isEnded: false,
          destroy: () => request.destroy(),
        };
        response.setEncoding("utf8").on("data", (text: string) => (stream.text += text));
        response.on("close", () => (stream.isEnded = true)).on("error", () => undefined);
        streams.push(stream);
        resolve(stream);
      });
      request.on("error", reject);
    });
  }

  it("come at once, and again when something changes, neither compressed nor kept", async () => {
    const stream = await open();
    await until("the first event", () => eventsOf(stream.text).length === 1);
    await service.app.queue.enqueue("mail.account", { userId: "u1" }, { delayMs: 600_000 });
    await until("the change", () => eventsOf(stream.text).length === 2);
    const [first, second] = eventsOf(stream.text);

    assert.match(stream.headers["content-type"]!, /^text\/event-stream/);
    assert.equal(stream.headers["content-encoding"], undefined);
    assert.match(stream.headers["cache-control"]!, /no-store/);
    const delayed = (event: QueuesEvent) => event.queues.find(({ name }) => name === "mail")!.counts.delayed;
    assert.deepEqual([delayed(first!), delayed(second!)], [0, 1]);
    assert.notEqual(first!.marks["mail"], second!.marks["mail"]);
    assert.equal(first!.marks["orgs"], second!.marks["orgs"]);
    await new Promise((done) => setTimeout(done, 2500));
    assert.equal(eventsOf(stream.text).length, 2, "nothing is sent twice");
  });

  it("are for so many listeners, and free their places when these leave", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()));
    assert.ok(all.every(({ status }) => status === 200));
    const refused = await service.call("GET", "/api/admin/events", { token: admin.token });
    assert.deepEqual([refused.status, refused.code], [429, "rate_limited"]);
    assert.equal(refused.headers.get("retry-after"), "30");

    for (const stream of all) stream.destroy();
    await until("a place to be free", async () => (await open()).status === 200);
  });

  it("end when the process is about to, and none begins then", async () => {
    const draining = new AbortController();
    const events = openQueueEvents(service.app, draining.signal);
    const stream = events.open(pageRequest, actor).stream;
    let isEnded = false;
    stream.on("data", () => undefined).on("end", () => (isEnded = true));
    draining.abort();

    await until("the end", () => isEnded);
    assert.throws(
      () => events.open(pageRequest, actor),
      (error: unknown) => error instanceof ServiceError && error.code === "unavailable",
    );
  });

  it("do not send figures that were read for clients that have left: they would appear to be new", async () => {
    const { queue } = service.app;
    const { counts } = queue;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    queue.counts = async () => {
      await held;
      return counts();
    };
    const events = openQueueEvents(service.app, undefined);
    const first = events.open(pageRequest, actor).stream;
    const left = new Promise((done) => first.once("close", done));
    first.destroy();
    await left;

    let text = "";
    const second = events
      .open(pageRequest, actor)
      .stream.on("data", (data: Buffer) => (text += data.toString()));
    let isAskedAgain = false;
    queue.counts = () => new Promise(() => (isAskedAgain = true));
    goOn();
    await until("a look for the second", () => isAskedAgain);

    second.destroy();
    queue.counts = counts;
    assert.equal(text, "retry: 1000\n\n");
  });

  it("tell that the queue does not answer, in place of figures", async () => {
    const { queue } = service.app;
    const { counts } = queue;
    queue.counts = () => Promise.reject(new Error("away"));
    const stream = await open();
    await until("the trouble", () => stream.text.includes("event: trouble\n"));
    queue.counts = counts;
    await until("the figures", () => eventsOf(stream.text).length === 1);
  });
});
