/** JSON logs. The request's id joins every line through `requestContext`; secrets are cut out by name. */
import { AsyncLocalStorage } from "node:async_hooks";
import { pino, type Logger } from "pino";

export type Log = Logger;

/** Fields in every log line of one request or job. */
export const requestContext = new AsyncLocalStorage<{ requestId: string }>();

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
