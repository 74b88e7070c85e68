/** An agent with the SDK's own OAuth client: it registers, waits for a person on loopback, and keeps its tokens. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthTokens,
} from "@modelcontextprotocol/client";

export interface OauthAgent {
  /** Address at which a person decides. A tool that acts for a person was refused, and the agent registered itself. */
  readonly consentUrl: string;
  /** Parameters that the browser brings back: a code, or an error. */
  returned(): Promise<URLSearchParams>;
  /** Exchanges the code of `returned` for tokens, and connects. */
  connect(): Promise<Client>;
  readonly tokens: OAuthTokens | undefined;
  close(): Promise<void>;
}

/** Asks for access to the MCP server of a service, up to the address for the person. */
export async function startOauthAgent(serviceUrl: string, name: string): Promise<OauthAgent> {
  const listener = await listenForReturn();
  const kept = new Map<string, unknown>();
  const provider: OAuthClientProvider = {
    redirectUrl: listener.url,
    clientMetadata: { client_name: name, redirect_uris: [listener.url], token_endpoint_auth_method: "none" },
    state: () => "state of the agent",
    clientInformation: () => kept.get("client") as never,
    saveClientInformation: (client) => void kept.set("client", client),
    tokens: () => kept.get("tokens") as never,
    saveTokens: (tokens) => void kept.set("tokens", tokens),
    redirectToAuthorization: (url) => void kept.set("url", url.href),
    saveCodeVerifier: (verifier) => void kept.set("verifier", verifier),
    codeVerifier: () => kept.get("verifier") as string,
  };
  const transport = () =>
    new StreamableHTTPClientTransport(new URL("/mcp", serviceUrl), { authProvider: provider });
  const client = () => new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const asking = transport();
  const stranger = client();
  // The service asks for a sign-in when the agent connects, or when it calls a tool that acts for a person.
  await assert.rejects(async () => {
    await stranger.connect(asking);
    await stranger.callTool({ name: "whoami", arguments: {} });
  }, UnauthorizedError);
  return {
    consentUrl: kept.get("url") as string,
    returned: () => listener.returned,
    async connect() {
      await asking.finishAuth(await listener.returned);
      const connected = client();
      await connected.connect(transport());
      return connected;
    },
    get tokens() {
      return kept.get("tokens") as OAuthTokens | undefined;
    },
    close: () => listener.close(),
  };
}

/** A listener as programs open it for one answer of the browser. */
async function listenForReturn() {
  let arrived!: (parameters: URLSearchParams) => void;
  const returned = new Promise<URLSearchParams>((resolve) => (arrived = resolve));
  const server = createServer((request, response): void => {
    const url = new URL(request.url!, "http://127.0.0.1");
    response.setHeader("content-type", "text/html; charset=utf-8").setHeader("connection", "close");
    if (url.pathname === "/callback") {
      response.end("<!doctype html><title>Agent</title><h1>Back in the agent</h1>");
      arrived(url.searchParams);
    } else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    returned,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
