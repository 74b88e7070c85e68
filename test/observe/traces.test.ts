/** Traces of the built service, received by OTLP over HTTP. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, describe, it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { parseTraceparent } from "../../src/tracing/traceparent.ts";
import { setUpJourney } from "../journeys/set-up.ts";
import { runGit } from "../support/host/git-host.ts";
import { callApi } from "../support/http-client.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  /** Added from the resource. */
  process: string;
}

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

const spans: Span[] = [];
const headers = new Set<string>();
const collector = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    assert.equal(request.url, "/v1/traces");
    headers.add(`${request.headers["content-type"]} ${String(request.headers["x-team"])}`);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
      const of = new Map(resource.attributes.map(({ key, value }) => [key, value.stringValue]));
      assert.equal(of.get("service.name"), "registry");
      const process = of.get("svc.process")!;
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, process })));
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
});
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
after(() => collector.close());

const repositories = temporaryFolder("traces-repositories");
const { server, account, tenantId } = await setUpJourney("ada", false, {
  LOCAL_REPOSITORIES: repositories,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  OTEL_EXPORTER_OTLP_HEADERS: "x-team=one%20two",
  OTEL_SERVICE_NAME: "registry",
});

const attributesOf = ({ attributes }: Span) =>
  new Map(attributes.map(({ key, value }) => [key, value["stringValue"] ?? value["intValue"]]));
const inTrace = (traceId: string) => spans.filter((span) => span.traceId === traceId);

/** Calls with a trace of the caller, and returns the spans of this trace once one has the name. */
async function traceOf(call: (traceparent: string) => Promise<unknown>, name: RegExp): Promise<Span[]> {
  const traceId = `${spans.length + 1}`.padStart(32, "a");
  await call(`00-${traceId}-${"b".repeat(16)}-01`);
  await until(`the span ${name.source}`, () => inTrace(traceId).some((span) => name.test(span.name)), {
    timeoutMs: 120_000,
  });
  return inTrace(traceId);
}

const send = (traceparent: string, method: string, target: string, body: object) =>
  fetch(server.url + target, {
    method,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json", traceparent },
  });

describe("a trace", () => {
  it("has a publish with its stages and the commands of the database", async () => {
    const body = { tenantId, name: "Traced", content: "# Traced\n" };
    const found = await traceOf((from) => send(from, "POST", "/api/skills", body), /^POST \/api\/skills$/);

    const request = found.find(({ name }) => name === "POST /api/skills")!;
    assert.equal(request.parentSpanId, "b".repeat(16));
    assert.equal(request.kind, 2);
    assert.equal(attributesOf(request).get("http.route"), "/api/skills");
    assert.equal(Number(attributesOf(request).get("http.response.status_code")), 201);
    for (const stage of ["resolve", "read", "write", "record"])
      assert.equal(
        found.find(({ name }) => name === `publish ${stage}`)?.parentSpanId,
        request.spanId,
        stage,
      );
    const record = found.find(({ name }) => name === "publish record")!;
    const insert = found.find(({ name }) => name === "database insert skills")!;
    assert.equal(insert.parentSpanId, record.spanId);
    assert.equal(insert.kind, 3);
    assert.equal(attributesOf(insert).get("db.collection.name"), "skills");
    assert.ok(BigInt(insert.startTimeUnixNano) >= BigInt(record.startTimeUnixNano) - 2_000_000n);
    assert.ok(BigInt(insert.endTimeUnixNano) <= BigInt(record.endTimeUnixNano) + 2_000_000n);
  });

  it("goes on in the job, in its process, and in git", async () => {
    const remote = path.join(repositories, tenantId, "skills.git");
    mkdirSync(remote, { recursive: true });
    runGit(remote, "init", "-q", "--bare", "-b", "main");
    const body = { host: "local", url: "skills.git", branch: "main" };
    const found = await traceOf((from) => send(from, "POST", "/api/tenants/acme/repo-sync", body), /^sync$/);
    const names = [
      "POST /api/tenants/:tenant/repo-sync",
      "job sync.run",
      "process of sync.run",
      "sync",
      "git receive-pack",
    ];
    // Two processes report them, each in its own time.
    await until("the spans of both processes", () => {
      const seen = inTrace(found[0]!.traceId);
      return names.every((name) => seen.some((span) => span.name === name));
    });

    const all = inTrace(found[0]!.traceId);
    const byName = (name: string) => all.findLast((span) => span.name === name)!;
    const [request, job, child, round, git] = names.map(byName);
    assert.deepEqual(
      [request, job, child, round, git].map((span) => span?.process),
      ["all", "all", "job", "job", "job"],
    );
    assert.equal(job!.kind, 5);
    const parents = new Map(all.map((span) => [span.spanId, span.parentSpanId]));
    const isBelow = (span: Span, around: Span): boolean => {
      for (let id: string | undefined = span.spanId; id !== undefined; id = parents.get(id))
        if (id === around.spanId) return true;
      return false;
    };
    assert.ok(isBelow(job!, request!));
    assert.ok(isBelow(round!, child!));
    assert.ok(isBelow(git!, round!));
    assert.ok(all.some((span) => span.process === "job" && span.name.startsWith("database ")));
  });

  it("begins with a request that continues none, and names nothing of people", async () => {
    const { status } = await callApi(server.url, "GET", "/api/skills", { token: account.token });
    assert.equal(status, 200);
    await until("its span", () => spans.some(({ name }) => name === "GET /api/skills"));

    const root = spans.find(({ name }) => name === "GET /api/skills")!;
    assert.equal(root.parentSpanId ?? "", "");
    assert.match(root.traceId, /^[0-9a-f]{32}$/);
    const texts = spans.flatMap((span) => [span.name, ...attributesOf(span).values()]).map(String);
    assert.deepEqual(
      texts.filter((text) => /\b(acme|ada)\b|Traced|@/.test(text)),
      [],
    );
    assert.deepEqual([...headers], ["application/json one two"]);
  });
});

describe("the settings of traces", () => {
  it("are checked at start", () => {
    const endpoint = "https://collector.example.com";
    assert.equal(readConfig({}).tracing, undefined);
    assert.deepEqual(
      readConfig({
        OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc,x-a=1",
        OTEL_TRACES_SAMPLER_ARG: "0.1",
      }).tracing,
      { endpoint, headers: { authorization: "Bearer abc", "x-a": "1" }, serviceName: "svc", ratio: 0.1 },
    );
    for (const wrong of ["no header", "a=%zz", "=1"])
      assert.throws(
        () => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: wrong }),
        /OTEL_EXPORTER_OTLP_HEADERS/,
        wrong,
      );
  });

  it("read the header of a caller strictly", () => {
    const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    assert.deepEqual(parseTraceparent(`00-${trace}-${span}-03`), {
      traceId: trace,
      spanId: span,
      traceFlags: 1,
      isRemote: true,
    });
    for (const wrong of [
      undefined,
      "",
      `01-${trace}-${span}-01`,
      `00-${"0".repeat(32)}-${span}-01`,
      `00-${trace}-${"0".repeat(16)}-01`,
      `00-${trace.toUpperCase()}-${span}-01`,
      `00-${trace}-${span}-01-extra`,
    ])
      assert.equal(parseTraceparent(wrong), undefined, wrong);
  });
});
