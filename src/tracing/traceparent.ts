/** The header `traceparent` (https://www.w3.org/TR/trace-context/), which continues a trace in another process. */
import type { SpanContext } from "@opentelemetry/api";

const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = pattern.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? "0", 16) & 1, isRemote: true };
}

export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
