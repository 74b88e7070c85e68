/**
 * Rules about addresses: which hosts are this machine, which addresses are one service, and where plain HTTP may go.
 */
import { CliError, invalidArgument } from "../errors.ts";

/** Whether a URL's host is this machine, so that the network can't read the traffic. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Whether two addresses are one origin, or both are this machine: the port of a trial service may change. */
export function isSameService(a: string, b: string): boolean {
  const [left, right] = [new URL(a), new URL(b)];
  return left.origin === right.origin || (isLoopback(left.hostname) && isLoopback(right.hostname));
}

/** Whether the network can read and change the traffic to an address. */
export function isExposed(url: URL): boolean {
  return url.protocol !== "https:" && !isLoopback(url.hostname);
}

/** Refuses plain HTTP unless the user allowed it. Throws `E_INVALID_ARGUMENT`. */
export function requireProtected(url: URL, allowed: readonly string[], env: NodeJS.ProcessEnv): void {
  if (!isExposed(url) || allowed.includes(url.origin) || env["SVC_ALLOW_HTTP"] === "1") return;
  throw invalidArgument(
    "--allow-http",
    `${url.origin} is plain HTTP: anyone on the network can read your token and change what you install. Use ` +
      "https, or allow it once with svc login --allow-http (in CI: SVC_ALLOW_HTTP=1).",
  );
}

/** Checks a skill's link from the service, which is shown in commands to copy. Throws `E_NETWORK`. */
export function checkSkillUrl(text: string): string {
  if (/^https?:\/\/[\w.:[\]-]+(?:\/[\w.~%-]+)*\/s\/[A-Za-z0-9]{1,64}$/.test(text) && URL.canParse(text))
    return text;
  throw new CliError(
    "E_NETWORK",
    "The service does not respond like a skill registry: the link of a skill is not a usable URL.",
  );
}
