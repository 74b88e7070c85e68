/** Prometheus metrics of a process, on a port of their own. Labels are route patterns and closed lists, never input. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { timedBy, type Observer } from "../../contract/observation.ts";
import type { App } from "../app.ts";
import { answerProbe, type Health } from "../http/service/health.ts";
import { listen } from "../http/service/listen.ts";
import type { RequestEnd } from "../http/service/server.ts";
import { jobPolicies } from "../queue/jobs.ts";
import * as defined from "./definitions.ts";
import { stateReader, type Reading } from "./state.ts";

export interface Metrics {
  observer: Observer;
  observe(request: RequestEnd): void;
  /** Serves the page at `/metrics`, and the routes of health, which a process without an API has nowhere else. */
  serve(app: App, health: Health, role: string): Promise<Server>;
}

type Labels = object;

const mapValues = <K extends string, V, R>(record: Record<K, V>, make: (value: V) => R) =>
  Object.fromEntries(Object.entries<V>(record).map(([key, value]) => [key, make(value)])) as Record<K, R>;

export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const common = ({ name, help, labels }: defined.Definition) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  /** Increments are summed here and added when the page is made, which takes them a fraction of the time. */
  function newCounter(definition: defined.Definition): { inc(labels: Labels, by?: number): void } {
    const sums = new Map<string, { labels: Labels; sum: number }>();
    const collect = () => {
      for (const { labels, sum } of sums.values()) counter.inc({ ...labels }, sum);
      sums.clear();
    };
    const counter = new Counter({ ...common(definition), collect });
    return {
      inc(labels, by = 1) {
        const key = Object.values(labels).join(" ");
        const known = sums.get(key);
        if (known) known.sum += by;
        else sums.set(key, { labels, sum: by });
      },
    };
  }
  const newHistogram = (definition: defined.HistogramDefinition) =>
    new Histogram({ ...common(definition), buckets: [...definition.buckets] });
  const durations = mapValues(defined.durations, newHistogram);
  const failures = mapValues(defined.failures, newCounter);
  const counts = mapValues(defined.counts, newCounter);
  const gauges = mapValues<defined.GaugeName, defined.Definition, Gauge>(
    defined.gauges,
    (definition) => new Gauge(common(definition)),
  );
  const requests = newCounter(defined.requestCount);
  const requestDuration = newHistogram(defined.requestDuration);
  const [received, sent] = [newCounter(defined.requestBytes), newCounter(defined.responseBytes)];

  const ended: Observer["ended"] = (kind, labels, seconds, hasFailed) => {
    durations[kind].observe({ ...labels }, seconds);
    if (hasFailed) failures[kind].inc(labels);
  };
  // An alert sees an increase only from a value that is known.
  for (const job of Object.keys(jobPolicies))
    for (const outcome of ["completed", "failed", "retried"]) counts.jobRuns.inc({ job, outcome }, 0);
  const observer: Observer = {
    run: timedBy(ended),
    ended,
    count: (name, labels, by) => counts[name].inc(labels, by),
  };

  async function pageOf(read: () => Promise<Reading[]>): Promise<string> {
    const readings = await read();
    for (const gauge of Object.values(gauges)) gauge.reset();
    for (const { gauge, labels, value } of readings) gauges[gauge].set(labels ?? {}, value);
    return registry.metrics();
  }

  return {
    observer,
    observe({ method, route, status, seconds, bytesReceived, bytesSent }) {
      const labels = { method, route };
      requests.inc({ method, route, status: String(status) });
      requestDuration.observe(labels, seconds);
      received.inc(labels, bytesReceived);
      sent.inc(labels, bytesSent);
    },
    async serve(app, health, role) {
      const read = stateReader(app, health.release, role);
      const { host, metricsPort = 0 } = app.config;
      async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
        if (await answerProbe(health, request, response)) return;
        if (request.url !== "/metrics") return void response.writeHead(404).end();
        const text = await pageOf(read).catch(() => undefined);
        if (text === undefined) response.writeHead(500).end();
        else response.writeHead(200, { "content-type": registry.contentType }).end(text);
      }
      const server = createServer((request, response) => void respond(request, response));
      await listen(server, host, metricsPort);
      return server;
    },
  };
}
