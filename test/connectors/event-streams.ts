/** HTTP+SSE, the transport before Streamable HTTP, by the library of that time, and as strict as other libraries. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import type { Handle, Upstream } from "./upstream.ts";

interface Session {
  transport: SSEServerTransport;
  server: Server;
  response: ServerResponse;
}

export function serveEventStreams(upstream: Upstream): Handle {
  const open = new Map<string, Session>();
  const report = (send: (server: Server) => Promise<void>) => {
    for (const { server } of open.values()) void send(server).catch(() => undefined);
  };
  upstream.toolsChanged = () => report((server) => server.sendToolListChanged());
  upstream.changed = (list) =>
    report((server) =>
      list === "prompts" ? server.sendPromptListChanged() : server.sendResourceListChanged(),
    );
  upstream.forgetSessions = () => {
    for (const { response } of open.values()) response.destroy();
    open.clear();
  };
  return async (request, response, body) => {
    const id = new URL(request.url!, "http://local").searchParams.get("sessionId");
    if (id !== null) {
      const session = open.get(id);
      if (session) await session.transport.handlePostMessage(request, response, body);
      else response.writeHead(404).end();
      return;
    }
    if (request.method !== "GET") {
      response.writeHead(405).end();
      return;
    }
    const transport = new SSEServerTransport("/mcp/messages", response);
    const server = makeServer(upstream);
    open.set(transport.sessionId, { transport, server, response });
    upstream.requests.at(-1)!.body = "";
    await server.connect(transport);
  };
}

function makeServer(upstream: Upstream): Server {
  const changing = { listChanged: true };
  const server = new Server(
    { name: "sse", version: "1" },
    { capabilities: { tools: changing, prompts: changing, resources: changing } },
  );
  let isInitialized = false;
  server.oninitialized = () => {
    isInitialized = true;
  };
  /** Some libraries answer nothing before the handshake. */
  const after = <T>(result: T): T => {
    if (!isInitialized) throw new McpError(ErrorCode.InvalidParams, "before the handshake");
    return result;
  };
  const echo = { name: "echo", inputSchema: { type: "object" as const } };
  server.setRequestHandler(ListToolsRequestSchema, () => after({ tools: upstream.tools ?? [echo] }));
  server.setRequestHandler(ListPromptsRequestSchema, () =>
    after({ prompts: [{ name: upstream.names.prompt }] }),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => {
    const { resource } = upstream.names;
    return after({ resources: [{ name: resource, uri: `notes://${resource}` }] });
  });
  server.setRequestHandler(GetPromptRequestSchema, () => after({ messages: [] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    if (params.name === "wait") await once(signal, "abort");
    const size = Number(params.arguments?.["size"] ?? 0);
    const text = size > 0 ? "x".repeat(size) : `echo ${String(params.arguments?.["text"])}`;
    return after({ content: [{ type: "text", text }] });
  });
  return server;
}
