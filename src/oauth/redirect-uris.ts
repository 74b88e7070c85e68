/**
 * Redirect URIs of OAuth clients. A request must name one of its client's exactly. Only the port of a loopback address
 * may differ, since native programs listen on a free one (RFC 8252, section 7.3), and its path may be empty for `/`.
 * Texts are compared rather than parsed addresses, so that no parser can read a URI differently from the one that
 * compares it.
 */
import { limits } from "../../contract/limits.ts";

/** Schemes of editors, which register them with the system. Others must have the form of a reversed domain. */
const editorSchemes = new Set([
  "claude",
  "cursor",
  "vscode",
  "vscode-insiders",
  "vscodium",
  "windsurf",
  "zed",
]);

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::([1-9]\d{0,4}))?(\/[^#]*)?$/;

/** The reason for which a client can't have a redirect URI; undefined if it can. */
export function faultOfRedirectUri(uri: string): string | undefined {
  if (uri.length > limits.redirectUri) return `is longer than ${limits.redirectUri} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return "is not an absolute URI in ASCII";
  const { protocol, username, password, href } = new URL(uri);
  if (uri.includes("#")) return "has a fragment";
  if (username !== "" || password !== "" || /^[^/]*\/\/[^/]*@/.test(uri)) return "has user information";
  if (href !== uri && href !== `${uri}/`) return `is not in its canonical form, ${href}`;
  if (protocol === "https:") return undefined;
  if (protocol === "http:")
    return loopback.test(uri) ? undefined : "has http, which is for localhost, 127.0.0.1 and [::1] only";
  return isNativeScheme(protocol.slice(0, -1)) && /^[^:]+:\/\/?[^/]/.test(uri)
    ? undefined
    : `has the scheme "${protocol.slice(0, 40)}", which is neither https nor that of a known program`;
}

const isNativeScheme = (scheme: string) =>
  editorSchemes.has(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(scheme);

/** Whether a client with these redirect URIs may be sent to one. */
export function isRedirectUriOf(registered: readonly string[], uri: string): boolean {
  return registered.some((one) => one === uri || isSameListener(one, uri));
}

/** Whether the redirect URI of a token request is that to which the code was sent. */
export const isSameRedirectUri = (used: string, named: string) =>
  used === named || (isSameListener(used, named) && loopback.exec(used)?.[2] === loopback.exec(named)?.[2]);

/** Whether two loopback addresses differ in their ports only. An empty path is `/` (RFC 3986, section 6.2.3). */
function isSameListener(registered: string, uri: string): boolean {
  const [left, right] = [loopback.exec(registered), loopback.exec(uri)];
  if (!left || !right || faultOfRedirectUri(uri) !== undefined) return false;
  return Number(right[2] ?? 80) <= 65_535 && left[1] === right[1] && (left[3] ?? "/") === (right[3] ?? "/");
}

/** Where a redirect URI leads: a host, a program on the caller's machine at a port, or the scheme of a program. */
export type RedirectTarget = { kind: "web" | "loopback" | "program"; name: string };

export function targetOf(uri: string): RedirectTarget {
  const { protocol, host } = new URL(uri);
  if (protocol === "https:") return { kind: "web", name: host };
  if (protocol === "http:") return { kind: "loopback", name: host };
  return { kind: "program", name: protocol };
}

/** A redirect URI with the parameters of a response, which replace its own of the same name. */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.delete(name);
    if (value !== undefined) url.searchParams.append(name, value);
  }
  return url.href;
}
