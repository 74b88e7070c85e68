/** Errors of the transport: whether another attempt may succeed, and what they mean. */
import { CliError } from "../errors.ts";

/** The system's error code, possibly of a `cause`, or of the first of several addresses that were tried. */
function causeCode(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    if (cause instanceof AggregateError && cause.errors[0] instanceof Error)
      return (cause.errors[0] as NodeJS.ErrnoException).code;
  }
  return undefined;
}

export function isTransient(error: unknown): boolean {
  const code = causeCode(error);
  return (
    code !== undefined && ["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"].includes(code)
  );
}

/** The error for a transport failure; a `CliError` is returned unchanged. */
export function networkError(error: unknown, url: string, baseUrl: string): CliError {
  if (error instanceof CliError) return error;
  const host = URL.canParse(url) ? new URL(url).origin : new URL(baseUrl).origin;
  const code = causeCode(error) ?? "";
  const proxy = error instanceof Error ? (error as Error & { proxy?: string }).proxy : undefined;
  const message =
    proxy === undefined
      ? `Cannot reach ${host}: ${reasonFor(code, error)}.`
      : `Cannot reach ${host} through the proxy ${proxy}: ${reasonFor(code, error)}. Check HTTPS_PROXY, HTTP_PROXY and ` +
        "NO_PROXY.";
  return new CliError("E_NETWORK", message, undefined, { cause: error });
}

function reasonFor(code: string, error: unknown): string {
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name cannot be resolved; are you online";
  if (code === "ETIMEDOUT") return "it did not respond in time";
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE")
    return "the connection was interrupted";
  if (code.startsWith("ERR_TLS") || /CERT|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return `its certificate is not accepted (${code})`;
  return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
}
