/**
 * Logs: JSON lines, or readable ones on a terminal. The request's id joins every line through `requestContext`; secrets
 * are cut out by name, and of an error only its text is written.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { pino, type Logger } from "pino";
import { foldWarnings } from "./fold-warnings.ts";
import { readableLine } from "./log-lines.ts";

export type Log = Logger;

/** Fields in every log line of one request or job; for requests only where `tracksContext`. */
export const requestContext = new AsyncLocalStorage<{ requestId: string }>();

/**
 * Whether every line of a request has its id. Before Node 24, following it through promises slows every one of them,
 * and takes a fifth of the time of a short request: there, only the request's own line and its failure have the id.
 */
export const tracksContext = Number(process.versions.node.split(".")[0]) >= 24;

const secretNames = ["token", "password", "authorization", "cookie", "secret", "access_token", "device_code"];

/** Errors within errors that are written. */
const maxCauses = 3;

/** The text of an error. Other properties may have the values of a request or a document. */
function describeError(error: unknown, causes = maxCauses): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, code, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  return {
    type: name,
    message: withoutValues(message),
    stack: stack && withoutValues(stack),
    code,
    cause: cause instanceof Error && causes > 0 ? describeError(cause, causes - 1) : undefined,
  };
}

/** The database names the value of a unique index that exists already, which may be an address. */
const withoutValues = (text: string) => text.replace(/dup key: \{.*\}/g, "dup key");

/** @param destination by default stdout, in readable lines if that is a terminal */
export function openLog(level: string, destination?: { write(line: string): void }): Log {
  const fold = foldWarnings();
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
      serializers: { error: (error: unknown) => describeError(error) },
      hooks: {
        logMethod(given, write, written) {
          const [fields, message] = given as unknown[];
          if (written !== pino.levels.values["warn"] || typeof message !== "string")
            return write.apply(this, given);
          fold(fields as Record<string, unknown>, message, (...folded) => write.apply(this, folded));
        },
      },
    },
    destination ?? (process.stdout.isTTY ? terminal : pino.destination({ sync: false })),
  );
}

const terminal = { write: (line: string) => void process.stdout.write(readableLine(line)) };
