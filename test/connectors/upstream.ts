/** A remote MCP server on this machine, made with the SDK: stateless, with sessions, or with HTTP+SSE. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, type Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { serveEventStreams } from "./event-streams.ts";

export type UpstreamKind = "stateless" | "sessions" | "sse";

export interface Upstream {
  url: string;
  /** Headers of each request that arrived, latest last. */
  requests: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[];
  /** Calls of the tool `wait` that were cancelled by their caller. */
  cancelled: number;
  /** Tools that are listed in place of the usual ones. */
  tools: Tool[] | undefined;
  /** Answers a request in place of the server; returns false for those that it leaves to it. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>) | undefined;
  /** Names of the only prompt and the only resource, by HTTP+SSE. */
  names: { prompt: string; resource: string };
  /** Forgets the sessions of its clients, as after a restart. */
  forgetSessions(): void;
  /** Reports that the tools, or another list, have changed. */
  toolsChanged(): void;
  /** By HTTP+SSE. */
  changed(list: "prompts" | "resources"): void;
  close(): Promise<void>;
}

export async function startUpstream(kind: UpstreamKind = "stateless"): Promise<Upstream> {
  const upstream: Upstream = {
    url: "",
    requests: [],
    cancelled: 0,
    tools: undefined,
    fault: undefined,
    names: { prompt: "greet", resource: "today" },
    forgetSessions: () => undefined,
    changed: () => undefined,
    toolsChanged: () => undefined,
    close: async () => undefined,
  };
  const handle = { stateless, sessions, sse: serveEventStreams }[kind](upstream);
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString("utf8");
      const { method = "", url = "", headers } = request;
      upstream.requests.push({ method, path: url, headers, body });
      if (await upstream.fault?.(request, response)) return;
      if (!url.startsWith("/mcp")) {
        response.writeHead(404).end();
        return;
      }
      await handle(request, response, body === "" ? undefined : (JSON.parse(body) as unknown));
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  upstream.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return upstream;
}

export type Handle = (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;

function stateless(upstream: Upstream): Handle {
  const handler = createMcpHandler(() => mcpServer(upstream));
  const node = toNodeHandler(handler);
  upstream.toolsChanged = () => handler.notify.toolsChanged();
  return async (request, response, body) => {
    await node(request, response, body);
  };
}

/** The earlier protocol version, with a session for each client. */
function sessions(upstream: Upstream): Handle {
  const open = new Map<string, NodeStreamableHTTPServerTransport>();
  const servers = new Set<McpServer>();
  upstream.forgetSessions = () => open.clear();
  upstream.toolsChanged = () => {
    for (const server of servers) {
      replaceTools(server, upstream);
      server.sendToolListChanged();
    }
  };
  return async (request, response, body) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? open.get(id) : undefined;
    if (known) return known.handleRequest(request, response, body);
    if (id !== undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (made) => void open.set(made, transport),
    });
    const server = mcpServer(upstream);
    servers.add(server);
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  };
}

function mcpServer(upstream: Upstream): McpServer {
  const server = new McpServer(
    { name: "upstream", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} } },
  );
  const text = z.object({ text: z.string() });
  server.registerTool(
    "echo",
    { description: "Returns the text", inputSchema: text, annotations: { readOnlyHint: true } },
    ({ text: given }) => ({ content: [{ type: "text", text: `echo ${given}` }] }),
  );
  server.registerTool("fail", { description: "Fails" }, () => ({
    isError: true,
    content: [{ type: "text", text: "it failed" }],
  }));
  server.registerTool("link", { description: "Returns a link" }, () => ({
    content: [{ type: "resource_link", uri: "notes://today", name: "today" }],
  }));
  server.registerTool("huge", { description: "Returns 11 MB" }, () => ({
    content: [{ type: "text", text: "x".repeat(11 * 1024 * 1024) }],
  }));
  server.registerTool("steps", { description: "Reports progress" }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= (progressToken === undefined ? 0 : 3); progress++)
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: progressToken!, progress, total: 3, message: `step ${progress}` },
      });
    return { content: [{ type: "text", text: "done" }] };
  });
  server.registerTool("wait", { description: "Waits until it is cancelled" }, async (context) => {
    await sleep(20_000, undefined, { signal: context.mcpReq.signal, ref: false }).catch(() => {
      upstream.cancelled++;
    });
    return { content: [{ type: "text", text: "waited" }] };
  });
  server.registerResource("today", "notes://today", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, text: "a note" }],
  }));
  server.registerPrompt(
    "greet",
    { description: "Greets", argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Hello ${name}` } }],
    }),
  );
  replaceTools(server, upstream);
  return server;
}

function replaceTools({ server }: McpServer, { tools }: Upstream): void {
  if (tools) server.setRequestHandler("tools/list", () => ({ tools }));
}
