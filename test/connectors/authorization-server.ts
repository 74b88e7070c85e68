/** An authorization server on this machine (`oidc-provider`), and the protection of an upstream by its tokens. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { Upstream } from "./upstream.ts";

export interface AuthorizationServer {
  issuer: string;
  /** Bodies and queries of requests to the token and authorization endpoints. */
  requests: { path: string; body: string }[];
  /** Answers a request in place of the server; returns false for those that it leaves to it. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Whether an access token is valid for a resource. */
  accepts(token: string, resource: string): Promise<boolean>;
  /** Makes all access tokens invalid; refresh tokens stay. */
  expireAccessTokens(): void;
  /** Ends all that was given, access and refresh tokens, as a person does at the provider. */
  revokeAll(): Promise<void>;
  /** Follows the authorization as a browser of a user who consents, and returns the address of the callback. */
  authorize(url: string): Promise<URL>;
  close(): Promise<void>;
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const expired = new Set<string>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = openProvider(issuer);
  const issued = new Set<string>();
  provider.on("access_token.saved", (token) => issued.add(token.jti));
  const refreshTokens = new Set<{ destroy(): Promise<unknown> }>();
  provider.on("refresh_token.saved", (token) => refreshTokens.add(token));
  const authorization: AuthorizationServer = {
    issuer,
    requests: [],
    fault: undefined,
    async accepts(secret, resource) {
      const token = await provider.AccessToken.find(secret);
      return token !== undefined && !expired.has(token.jti) && [token.aud].flat().includes(resource);
    },
    expireAccessTokens() {
      for (const id of issued) expired.add(id);
    },
    async revokeAll() {
      authorization.expireAccessTokens();
      await Promise.all([...refreshTokens].map((token) => token.destroy()));
    },
    authorize: (url) => followAuthorization(url, issuer),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const answer = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const record = { path: request.url ?? "", body: "" };
    authorization.requests.push(record);
    request.on("data", (chunk: Buffer) => (record.body += chunk.toString("utf8")));
    if (authorization.fault?.(request, response)) return;
    void answer(request, response);
  });
  return authorization;
}

function openProvider(issuer: string): Provider {
  const provider = new Provider(issuer, {
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: "mcp",
          audience: resource,
          accessTokenFormat: "opaque",
          accessTokenTTL: 3600,
        }),
        useGrantedResource: () => true,
      },
    },
    pkce: { required: () => true },
    scopes: ["mcp", "offline_access", "openid"],
    clientDefaults: { token_endpoint_auth_method: "none" },
    cookies: { keys: ["test"] },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { Interaction: 600, Grant: 3600, Session: 3600, AccessToken: 3600, RefreshToken: 3600 },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context, interaction) => `/consent/${interaction.uid}` },
  });
  // Signs in and consents at once.
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/consent/")) {
      await next();
      return;
    }
    const { params, session } = await provider.interactionDetails(context.req, context.res);
    const accountId = session?.accountId ?? "person";
    const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) });
    grant.addOIDCScope("openid offline_access mcp");
    for (const resource of [params["resource"]].flat())
      if (typeof resource === "string") grant.addResourceScope(resource, "mcp offline_access openid");
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    context.redirect(await provider.interactionResult(context.req, context.res, result));
  });
  return provider;
}

async function followAuthorization(url: string, issuer: string): Promise<URL> {
  const jar = new Map<string, string>();
  let next = new URL(url);
  for (let hop = 0; hop < 12; hop++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name!, value!);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
    next = new URL(location, next);
    if (next.origin !== issuer) return next;
  }
  throw new Error("too many redirects");
}

/** Has an upstream require tokens of an authorization server, and say so as the protocol defines. */
export function protect(
  upstream: Upstream,
  authorization: Pick<AuthorizationServer, "issuer" | "accepts">,
): void {
  const { origin } = new URL(upstream.url);
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  upstream.fault = async (request, response) => {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      response.writeHead(200, { "content-type": "application/json" });
      const document = { resource: upstream.url, authorization_servers: [authorization.issuer] };
      response.end(JSON.stringify(document));
      return true;
    }
    if (!request.url?.startsWith("/mcp")) return false;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (token !== undefined && (await authorization.accepts(token, upstream.url))) return false;
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}", scope="mcp"` });
    response.end();
    return true;
  };
}
