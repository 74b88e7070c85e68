/** JSON logs. The request's id joins every line through `requestContext`; secrets are cut out by name. */
import { AsyncLocalStorage } from "node:async_hooks";
import { pino, type Logger } from "pino";

export type Log = Logger;

/** Fields in every log line of one request or job; for requests only where `tracksContext`. */
export const requestContext = new AsyncLocalStorage<{ requestId: string }>();

/**
 * Whether every line of a request has its id. Before Node 24, following it through promises slows every one of them,
 * and takes a fifth of the time of a short request: there, only the request's own line and its failure have the id.
 */
export const tracksContext = Number(process.versions.node.split(".")[0]) >= 24;

const secretNames = ["token", "password", "authorization", "cookie", "secret", "access_token", "device_code"];

export function openLog(level: string, destination?: { write(line: string): void }): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => requestContext.getStore() ?? {},
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[redacted]",
      },
      serializers: { error: pino.stdSerializers.err },
    },
    destination ?? pino.destination({ sync: false }),
  );
}
