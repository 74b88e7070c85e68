/** A registry of MCP servers on this machine, in the form of the public one. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface Upstream {
  url: string;
  /** Addresses of the requests, with their queries. */
  requests: string[];
  /** Replaces how it answers. */
  answer: RequestListener;
  /** Answers with pages of entries, each of which names the next one. */
  serve(...pages: object[][]): void;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url!);
    upstream.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (_, response) => response.writeHead(500).end(),
    serve(...pages) {
      upstream.answer = ({ url }, response) => {
        const at = Number(new URL(url!, upstream.url).searchParams.get("cursor") ?? 0);
        const nextCursor = at + 1 < pages.length ? { nextCursor: String(at + 1) } : {};
        const servers = pages[at]!;
        response
          .setHeader("content-type", "application/json")
          .end(JSON.stringify({ servers, metadata: { count: servers.length, ...nextCursor } }));
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}

/** An entry of the feed. */
export function entry(server: object, official: object = {}) {
  return {
    server: { name: "io.example/weather", description: "Forecasts", version: "1.0.0", ...server },
    _meta: {
      "io.modelcontextprotocol.registry/official": {
        status: "active",
        isLatest: true,
        updatedAt: "2026-01-01T00:00:00Z",
        ...official,
      },
    },
  };
}

export const remoteOf = (url: string, more: object = {}) => ({
  remotes: [{ type: "streamable-http", url, ...more }],
});
export const packageOf = (fields: object) => ({
  packages: [
    {
      registryType: "npm",
      identifier: "@example/weather",
      version: "1.0.0",
      transport: { type: "stdio" },
      ...fields,
    },
  ],
});
