/**
 * The only place that opens connections to HTTP servers for the service: directly, or through the proxy that
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name for an address. Requests with https go through a tunnel (CONNECT), so
 * that the proxy sees no content unless it signs certificates that `NODE_EXTRA_CA_CERTS` makes the service trust.
 */
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";
import { getProxyForUrl } from "proxy-from-env";
import { assertPublicName, publicLookup } from "./address.ts";
import { blameProxy, ProxyError, proxyFailure } from "./http-errors.ts";
import { isAllowedHost } from "./outbound-allow.ts";

export interface Connections {
  /** A request whose errors name the proxy if that has failed. The caller has checked literal addresses. */
  request(url: URL, options: { method: string; headers: http.OutgoingHttpHeaders }): http.ClientRequest;
  /** Ends all connections. */
  close(): void;
}

interface ConnectionOptions {
  /** Allows addresses of this machine and of private networks. */
  allowPrivateNetwork: boolean;
  maxSockets: number;
}

/** Time in which a proxy has to open a tunnel. */
const tunnelMs = 30_000;

export function openConnections({ allowPrivateNetwork, maxSockets }: ConnectionOptions): Connections {
  const common = { keepAlive: true, maxSockets, timeout: 0 };
  const direct = allowPrivateNetwork ? common : { ...common, lookup: publicLookup };
  const agents = new Map<string, http.Agent>();
  const agentOf = (key: string, make: () => http.Agent) => {
    const agent = agents.get(key) ?? make();
    agents.set(key, agent);
    return agent;
  };
  return {
    request(url, options) {
      const proxy = findProxy(url);
      const isEncrypted = url.protocol === "https:";
      if (!proxy) {
        const library = isEncrypted ? https : http;
        return library.request(url, {
          ...options,
          agent: agentOf(url.protocol, () => new library.Agent(direct)),
        });
      }
      const key = `${url.protocol} ${proxy.href}`;
      if (isEncrypted) {
        const makeTunnels = () => new TunnelAgent(common, proxy, allowPrivateNetwork);
        return https.request(url, { ...options, agent: agentOf(key, makeTunnels) });
      }
      // Without encryption there is no tunnel, since many proxies open one to the port of https only.
      const library = proxy.protocol === "https:" ? https : http;
      const request = library.request({
        ...addressOf(proxy),
        method: options.method,
        path: `${url.origin}${url.pathname}${url.search}`,
        headers: { ...options.headers, host: url.host, ...credentialsOf(proxy) },
        agent: agentOf(key, () => new library.Agent(common)),
      });
      return request.prependListener("error", (error) => blameProxy(error, proxy));
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/**
 * Whether requests to a host may be unencrypted although private networks are not allowed in general: `OUTBOUND_ALLOW`
 * lists it, and there is no proxy, which would resolve its name without a check.
 */
export const mayBeUnencrypted = (url: URL): boolean =>
  isAllowedHost(url.hostname) && findProxy(url) === undefined;

/** Whether the environment names a proxy for requests to this address. */
export const hasProxy = (address: string): boolean => getProxyForUrl(address) !== "";

/**
 * The proxy for an address; undefined for a direct connection. As with curl, a name in `NO_PROXY` includes the names
 * below it.
 */
function findProxy(url: URL): URL | undefined {
  const found = getProxyForUrl(url.href);
  if (found === "") return undefined;
  const labels = isIP(url.hostname.replace(/^\[|\]$/g, "")) === 0 ? url.hostname.split(".") : [];
  for (let at = 1; at < labels.length; at++) {
    const parent = new URL(url.origin);
    parent.hostname = labels.slice(at).join(".");
    if (getProxyForUrl(parent.href) === "") return undefined;
  }
  const proxy = new URL(found);
  if (!/^https?:$/.test(proxy.protocol)) throw new ProxyError(proxy, "is not one for HTTP");
  return proxy;
}

function addressOf(proxy: URL): { host: string; port: number } {
  const defaultPort = proxy.protocol === "https:" ? 443 : 80;
  return { host: proxy.hostname.replace(/^\[|\]$/g, ""), port: Number(proxy.port) || defaultPort };
}

function credentialsOf({ username, password }: URL): http.OutgoingHttpHeaders {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Connections with https through one proxy. */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL;
  readonly #allowPrivateNetwork: boolean;
  readonly #opening = new Set<http.ClientRequest>();

  constructor(options: https.AgentOptions, proxy: URL, allowPrivateNetwork: boolean) {
    super(options);
    this.#proxy = proxy;
    this.#allowPrivateNetwork = allowPrivateNetwork;
  }

  override createConnection(
    options: https.RequestOptions,
    callback: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    callbackify(() => this.#connect(options))(callback);
  }

  override destroy(): void {
    super.destroy();
    for (const request of this.#opening) request.destroy();
  }

  async #connect(options: https.RequestOptions): Promise<Duplex> {
    const socket = await this.#open(options.host!, Number(options.port));
    return super.createConnection({ ...options, socket } as https.RequestOptions)!;
  }

  /** The proxy resolves the name again, so a private address that this machine finds is refused here. */
  async #open(host: string, port: number): Promise<Socket> {
    if (!this.#allowPrivateNetwork) await assertPublicName(host);
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    const library = this.#proxy.protocol === "https:" ? https : http;
    const request = library.request({
      ...addressOf(this.#proxy),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...credentialsOf(this.#proxy) },
      agent: false,
    });
    this.#opening.add(request);
    const late = setTimeout(
      () => request.destroy(new ProxyError(this.#proxy, "did not respond in time")),
      tunnelMs,
    );
    return new Promise<Socket>((resolve, reject) => {
      request.once("connect", ({ statusCode }, socket) => {
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        reject(new ProxyError(this.#proxy, `refused CONNECT with ${statusCode}`));
      });
      request.on("error", (error) => reject(proxyFailure(this.#proxy, error)));
      request.once("close", () => reject(new ProxyError(this.#proxy, "closed the connection")));
      request.end();
    }).finally(() => {
      clearTimeout(late);
      this.#opening.delete(request);
    });
  }
}
