/** One client of one remote MCP server, for one connector. */
import {
  Client,
  SseError,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type ClientOptions,
  type FetchLike,
  type PriorDiscovery,
} from "@modelcontextprotocol/client";
import { limits } from "../../../contract/limits.ts";
import { RepoError } from "../../../repos/errors.ts";
import { openGuardedFetch, type GuardedFetch } from "../../../repos/transport/guarded-fetch.ts";
import type { App } from "../../app.ts";
import { openEventStream } from "./event-stream.ts";
import { followLists, reconnectLater, readSlowly, type ChangedList } from "./follow.ts";
import type { Target } from "./target.ts";

export interface ConnectOptions {
  auth: AuthProvider;
  /** Protocol of the server, as an earlier connection with the same credentials has found it. */
  prior?: PriorDiscovery;
  onChange(list: ChangedList): void;
  onClose(): void;
  signal?: AbortSignal;
}

export interface Upstream {
  client: Client;
  /** The cause of an error of the client, if that is known to the connection only. */
  causeOf(error: unknown): unknown;
  close(): Promise<void>;
}

/** Tools are not validated here: their caller reads the schemas, and a hostile schema could occupy the process. */
const noValidation = {
  getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }),
} as NonNullable<ClientOptions["jsonSchemaValidator"]>;

/** Requests of one connector, on connections of their own. A stream may have other bounds than a response. */
export function openUpstreamFetch(
  app: App,
  maxStreamBytes: number = limits.connectorResponseBytes,
): GuardedFetch {
  const { fetch, close } = openGuardedFetch({
    allowPrivateNetwork: app.config.mcpCentral.privateNetwork,
    firstByteMs: limits.connectorFirstByteMs,
    silenceMs: limits.connectorFirstByteMs,
    maxBytes: limits.connectorResponseBytes,
    maxStreamBytes,
    maxJsonParts: limits.connectorJsonParts,
  });
  return {
    fetch: (url, init) =>
      fetch(url, init).catch((error: unknown) => {
        // Users see that a server can't be reached; a proxy or name server at fault is for operators to see.
        if (error instanceof RepoError && error.code === "remote_unreachable")
          app.log.warn({ problem: error.message }, "a server of connectors could not be reached");
        throw error;
      }),
    close,
  };
}

/** Connects. Throws what `problemOf` explains. */
export async function connectUpstream(app: App, target: Target, options: ConnectOptions): Promise<Upstream> {
  const isEventStream = target.transport === "sse";
  const requests = openUpstreamFetch(app, isEventStream ? Infinity : limits.connectorResponseBytes);
  const client = new Client(
    { name: "svc-central", version: "1.0.0" },
    {
      versionNegotiation: { mode: "auto" },
      jsonSchemaValidator: noValidation,
      listMaxPages: 20,
      inputRequired: { autoFulfill: false },
    },
  );
  // Failures of single requests reach their callers. What arrives later concerns nothing that is waited for, except the
  // end of the stream that has all results.
  const onerror = (error: Error) => {
    if (error instanceof SseError) void close();
  };
  Object.assign(client, { onerror, onclose: options.onClose });
  const followed = followLists(client, options.onChange);
  const close = async () => {
    followed.end();
    await client.close().catch(() => undefined);
    requests.close();
  };
  const fetch = fetchFor(requests, target);
  const shared = { fetch, authProvider: options.auth };
  const { transport, causeOf } = isEventStream
    ? openEventStream(target.url, shared)
    : { transport: openStreamable(target.url, shared), causeOf: (error: unknown) => error };
  try {
    await client.connect(transport, {
      timeout: limits.connectorFirstByteMs,
      signal: options.signal,
      prior: options.prior,
    });
  } catch (error) {
    await close();
    throw causeOf(error);
  }
  followed.begin();
  return { client, causeOf, close };
}

function openStreamable(url: URL, shared: { fetch: FetchLike; authProvider: AuthProvider }) {
  return new StreamableHTTPClientTransport(url, {
    ...shared,
    onInsufficientScope: "throw",
    reconnectionScheduler: reconnectLater,
  });
}

const sentTokens = new WeakMap<Response, string>();

/** The access token with which a response was requested. */
export function sentToken(response: Response): string | undefined {
  return sentTokens.get(response);
}

/** Whether a request opens a stream of changes, for which no call waits. */
const isOfChanges = (method: string | undefined, sent: Headers) =>
  method === "GET" || sent.get("mcp-method") === "subscriptions/listen";

/** Adds the server's headers to requests to its own origin, and to no other. */
function fetchFor(requests: GuardedFetch, { url, headers, transport }: Target): FetchLike {
  return async (asked, init) => {
    if (new URL(asked).origin !== url.origin) return requests.fetch(asked, init);
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
    const answer = await requests.fetch(asked, { ...init, headers: sent });
    const isAwaited = transport === "sse" || !isOfChanges(init?.method, sent);
    const response = isAwaited ? answer : readSlowly(answer);
    const token = /^Bearer (.+)$/.exec(sent.get("authorization") ?? "")?.[1];
    if (token !== undefined) sentTokens.set(response, token);
    return response;
  };
}
