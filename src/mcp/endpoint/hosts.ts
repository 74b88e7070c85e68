/**
 * Checks of Host and Origin. A page that a browser has loaded from a name of its own can make that name lead to this
 * service (DNS rebinding), and would then send that name as Host.
 */
import { forbidden } from "../../errors.ts";
import type { RequestInfo } from "../../http/route.ts";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The last address of a service, parsed. */
let last = { baseUrl: "", url: new URL("http://localhost") };

/** Throws `forbidden` for a request under another name than the service's, or from a page of another origin. */
export function checkHost(request: Pick<RequestInfo, "host" | "header">, baseUrl: string): void {
  if (last.baseUrl !== baseUrl) last = { baseUrl, url: new URL(baseUrl) };
  const own = last.url;
  if (request.host !== own.host && !isOwn(`${own.protocol}//${request.host}`, own))
    throw forbidden(
      `This service is at ${own.origin}, which is not the Host of this request: use that address.`,
    );
  const origin = request.header("origin");
  if (origin !== "" && !isOwn(origin, own))
    throw forbidden(`Pages of other sites can't call this service: send no Origin, or ${own.origin}.`);
}

/** Whether an address has the origin of the service. All names of this machine are one. */
function isOwn(address: string, own: URL): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, protocol, hostname, port, username, password, pathname, search, hash } = new URL(address);
  if (username !== "" || password !== "" || pathname !== "/" || search !== "" || hash !== "") return false;
  if (origin === own.origin) return true;
  const isLocal = loopback.has(own.hostname) && loopback.has(hostname);
  return isLocal && protocol === own.protocol && port === own.port;
}
