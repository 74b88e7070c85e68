/** Prometheus metrics, on a port of their own. Labels are route patterns, never raw paths. */
import { createServer, type Server } from "node:http";
import { Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

export interface Metrics {
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
  /** Serves the page at `/metrics`. */
  listen(host: string, port: number): Promise<Server>;
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
  return {
    observe: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    async listen(host, port) {
      const server = createServer((request, response) => {
        if (request.url !== "/metrics") {
          response.writeHead(404).end();
          return;
        }
        registry.metrics().then(
          (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
          () => response.writeHead(500).end(),
        );
      });
      await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
      return server;
    },
  };
}
