/** OpenID Connect providers on this machine: `oidc-provider`, and one that responds as a test wants it to. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from "jose";
import { Provider } from "oidc-provider";

export interface Person {
  sub: string;
  [claim: string]: unknown;
}

export interface Client {
  id: string;
  secret: string;
  redirectUri: string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(handler: () => Handler) {
  const server = createServer((request, response) => handler()(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export interface RealProvider {
  issuer: string;
  /** The person who signs in. */
  person: Person;
  /** Registers the client, which is known only after the issuer. */
  register(client: Client): void;
  /** Follows a redirect as a browser of the person, and returns the address of the callback. */
  authorize(url: string): Promise<URL>;
  close(): Promise<void>;
}

export async function startRealProvider(person: Person): Promise<RealProvider> {
  let handle: Handler = () => undefined;
  const { issuer, close } = await listen(() => handle);
  const open = (clients: Client[]) => {
    const answer = openProvider(issuer, clients, () => real.person).callback();
    handle = (request, response) => void answer(request, response);
  };
  const real: RealProvider = {
    issuer,
    person,
    register: (client) => open([client]),
    authorize: (url) => follow(url, issuer),
    close,
  };
  open([]);
  return real;
}

function openProvider(issuer: string, clients: Client[], personOf: () => Person): Provider {
  const provider = new Provider(issuer, {
    clients: clients.map(({ id, secret, redirectUri }) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri],
    })),
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ["test"] },
    ttl: { Interaction: 600, Grant: 3600, Session: 3600, AccessToken: 3600, IdToken: 3600 },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...personOf(), sub: id }) }),
    interactions: { url: (_context, interaction) => `/consent/${interaction.uid}` },
  });
  // Signs in and consents at once.
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/consent/")) {
      await next();
      return;
    }
    const { params } = await provider.interactionDetails(context.req, context.res);
    const accountId = personOf().sub;
    const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) });
    grant.addOIDCScope("openid email profile groups");
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    context.redirect(await provider.interactionResult(context.req, context.res, result));
  });
  return provider;
}

async function follow(url: string, issuer: string): Promise<URL> {
  const jar = new Map<string, string>();
  let next = new URL(url);
  for (let hop = 0; hop < 12 && next.origin === issuer; hop++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name!, value!);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${next.href}: ${response.status} ${await response.text()}`);
    next = new URL(location, next);
  }
  return next;
}

const algorithms = ["RS256", "PS256", "ES256", "EdDSA"] as const;
type Algorithm = (typeof algorithms)[number];

/** How a response differs from a valid one. */
export interface Deviation {
  claims?: JWTPayload;
  /** Seconds from now. */
  issuedAt?: number;
  expiresAt?: number;
  sign?: "stranger" | "none" | "secret" | "public-key";
  /** Algorithm of the signature. Default: RS256. */
  algorithm?: Algorithm;
  userInfo?: Record<string, unknown>;
  /** Handles a request in place of the provider; returns false for those that it leaves to it. */
  fault?: (path: string, response: ServerResponse) => boolean;
  discovery?: Record<string, unknown>;
}

export interface TestProvider {
  issuer: string;
  /** Where it listens, which is its issuer unless another one was given. */
  url: string;
  client: Omit<Client, "redirectUri">;
  /** The next response. `nonce` is that of the request. */
  next: { person: Person; nonce: string; deviation: Deviation };
  /** Bodies of requests to the token endpoint. */
  exchanges: URLSearchParams[];
  close(): Promise<void>;
}

/** @param publicIssuer address of a gateway that leads to it */
export async function startTestProvider(publicIssuer?: string): Promise<TestProvider> {
  const strange = await generateKeyPair("RS256");
  const keys = await Promise.all(
    algorithms.map(async (alg) => {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      const kid = alg === "RS256" ? "one" : alg;
      return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: "sig", alg } };
    }),
  );
  const { issuer: url, close } = await listen(() => (request, response) => void answer(request, response));
  const issuer = publicIssuer ?? url;
  const provider: TestProvider = {
    issuer,
    url,
    client: { id: "svc", secret: "the-secret-of-the-client" },
    next: { person: { sub: "1" }, nonce: "", deviation: {} },
    exchanges: [],
    close,
  };

  async function idToken(): Promise<string> {
    const { person, nonce, deviation } = provider.next;
    const now = Math.floor(Date.now() / 1000);
    const claims: JWTPayload = {
      iss: issuer,
      aud: provider.client.id,
      nonce,
      iat: now + (deviation.issuedAt ?? 0),
      exp: now + (deviation.expiresAt ?? 300),
      ...person,
      ...deviation.claims,
    };
    if (deviation.sign === "none") return new UnsecuredJWT(claims).encode();
    const isSymmetric = deviation.sign === "secret" || deviation.sign === "public-key";
    const { alg, privateKey, jwk } = keys.find((one) => one.alg === (deviation.algorithm ?? "RS256"))!;
    const header = { alg: isSymmetric ? "HS256" : alg, kid: jwk.kid };
    const secret = deviation.sign === "secret" ? provider.client.secret : JSON.stringify(jwk);
    const key = isSymmetric
      ? new TextEncoder().encode(secret)
      : deviation.sign === "stranger"
        ? strange.privateKey
        : privateKey;
    return new SignJWT(claims).setProtectedHeader(header).sign(key);
  }

  const bodies: Record<string, () => unknown> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      ...provider.next.deviation.discovery,
    }),
    "/jwks": () => ({ keys: keys.map(({ jwk }) => jwk) }),
    "/token": async () => ({ access_token: "a", token_type: "Bearer", id_token: await idToken() }),
    "/userinfo": () => provider.next.deviation.userInfo ?? {},
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let sent = "";
    for await (const chunk of request) sent += String(chunk);
    const path = request.url ?? "";
    if (path === "/token") provider.exchanges.push(new URLSearchParams(sent));
    if (provider.next.deviation.fault?.(path, response)) return;
    const body = bodies[path]?.();
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(await body));
  }
  return provider;
}
