/** Traces by OpenTelemetry, sent by OTLP over HTTP. Loaded only if an endpoint is set (`observe-process.ts`). */
import os from "node:os";
import { SpanKind, SpanStatusCode, context, trace, type Attributes } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Observer, OperationKind, OperationLabels } from "../../contract/observation.ts";
import type { Config } from "../config.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

/** Time after which spans are sent. */
const sendMs = 1000;
const requestMs = 10_000;

export function openTraces(
  { endpoint, headers, serviceName, ratio }: NonNullable<Config["tracing"]>,
  metrics: Observer | undefined,
  { version, part }: { version: string; part: string },
): { observer: Observer; close(): Promise<void> } {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers, timeoutMillis: requestMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": serviceName,
      "service.version": version,
      "service.instance.id": `${os.hostname()}-${process.pid}`,
      "svc.process": part,
      "process.pid": process.pid,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendMs })],
  });
  const tracer = provider.getTracer("svc");

  const isTraced = () => trace.getActiveSpan()?.isRecording() ?? false;

  const observer: Observer = {
    run(kind, labels, work) {
      const measured = () => (metrics ? metrics.run(kind, labels, work) : work());
      if (!isTraced()) return measured();
      return tracer.startActiveSpan(nameOf(kind, labels), optionsOf(kind, labels), async (span) => {
        try {
          return await measured();
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    ended(kind, labels, seconds, hasFailed) {
      metrics?.ended(kind, labels, seconds, hasFailed);
      if (!isTraced()) return;
      const endTime = Date.now();
      const span = tracer.startSpan(nameOf(kind, labels), {
        ...optionsOf(kind, labels),
        startTime: endTime - seconds * 1000,
      });
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endTime);
    },
    count: (...given) => metrics?.count(...given),
    begin({ kind, traceparent, describe }, work) {
      const parent = parseTraceparent(traceparent);
      const around = parent ? trace.setSpanContext(context.active(), parent) : context.active();
      const spanKind = kind === "request" ? SpanKind.SERVER : SpanKind.CONSUMER;
      return tracer.startActiveSpan(kind, { kind: spanKind }, around, async (span) => {
        let hasThrown = true;
        try {
          const result = await work();
          hasThrown = false;
          return result;
        } finally {
          const { name, attributes, hasFailed } = describe();
          span.updateName(name).setAttributes(attributes);
          if (hasThrown || hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        }
      });
    },
    traceparent() {
      const span = trace.getActiveSpan();
      return span && formatTraceparent(span.spanContext());
    },
  };
  return { observer, close: () => provider.shutdown() };
}

const nameOf = <K extends OperationKind>(kind: K, labels: OperationLabels[K]) =>
  [kind, ...Object.values(labels).toReversed()].join(" ");

/** Names of OpenTelemetry's conventions where there are some. */
function optionsOf<K extends OperationKind>(kind: K, labels: OperationLabels[K]) {
  const isOutside = kind === "database" || kind === "objectStore";
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries<string>({ ...labels })) {
    if (kind === "database")
      attributes[name === "collection" ? "db.collection.name" : "db.operation.name"] = value;
    else attributes[`svc.${name}`] = value;
  }
  if (kind === "database") attributes["db.system.name"] = "mongodb";
  return { kind: isOutside ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes };
}
