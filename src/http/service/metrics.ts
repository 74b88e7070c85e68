/** Prometheus metrics, on a port of their own. Labels are route patterns, never raw paths. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { answerProbe, type Health } from "./health.ts";
import { listen } from "./listen.ts";

export interface Metrics {
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
  /** Serves the page at `/metrics`, and the routes of health, which a process without an API has nowhere else. */
  listen(host: string, port: number, health: Health): Promise<Server>;
}

/** `queueCounts` is asked at each scrape; a queue that does not answer leaves its gauge empty. */
export function openMetrics(queueCounts: () => Promise<Record<string, object>>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "svc_http_request_seconds",
    help: "Time to answer a request",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const jobs = new Gauge({
    name: "svc_queue_jobs",
    help: "Jobs by queue and state",
    labelNames: ["queue", "state"],
    registers: [registry],
    async collect() {
      this.reset();
      const counts = await queueCounts().catch(() => ({}));
      for (const [queue, states] of Object.entries(counts)) {
        for (const [state, count] of Object.entries(states)) this.set({ queue, state }, Number(count));
      }
    },
  });
  registry.registerMetric(jobs);
  async function respond(health: Health, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await answerProbe(health, request, response)) return;
    if (request.url !== "/metrics") return void response.writeHead(404).end();
    const text = await registry.metrics().catch(() => undefined);
    if (text === undefined) response.writeHead(500).end();
    else response.writeHead(200, { "content-type": registry.contentType }).end(text);
  }
  return {
    observe: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    async listen(host, port, health) {
      const server = createServer((request, response) => void respond(health, request, response));
      await listen(server, host, port);
      return server;
    },
  };
}
