/** Calls of the registry of MCP servers. */
import { limits } from "../../../contract/limits.ts";
import type { McpServer } from "../../../contract/mcp-entries/server.ts";
import { CliError, notFound } from "../../errors.ts";
import { openCaller } from "../call.ts";
import type { HttpOptions } from "../http.ts";
import { collectPages } from "../pages.ts";
import type { Shape } from "../shapes.ts";

const value = {
  name: "text",
  kind: "text",
  value: "text?",
  label: "text?",
  description: "text?",
  secret: "flag?",
  required: "flag?",
} as const satisfies Shape;

const shape = [
  {
    publicId: "id",
    slug: "slug",
    tenantSlug: "slug",
    name: "text",
    transport: "text",
    command: "text?",
    url: "text?",
    args: ["text"],
    env: [value],
    headers: [value],
    variables: [value],
    revision: "whole",
  },
] as const satisfies Shape;

/** A registered server, with the fields that the client uses. */
export interface ListedServer extends McpServer {
  publicId: string;
  name: string;
  revision: number;
}

const listedConnector = {
  publicId: "id",
  slug: "text",
  tenantId: "text",
  connectionStatus: "text",
  needsReconnect: "flag",
} as const satisfies Shape;

/** A hosted connector of the caller. */
export interface ListedConnector {
  publicId: string;
  slug: string;
  tenantId: string;
  connectionStatus: string;
  needsReconnect: boolean;
  /** Null if the caller can't see the server any more. */
  server?: { publicId?: string } | null;
}

const createdConnector = {
  publicId: "id",
  slug: "text",
  tenantId: "text",
  connectionStatus: "text",
  created: "flag",
  connectUrl: "text",
} as const satisfies Shape;

/** The caller's hosted connector to a server, new or not. */
export interface CreatedConnector extends Omit<ListedConnector, "needsReconnect" | "server"> {
  created: boolean;
  /** Page on which the user connects. */
  connectUrl: string;
}

/** More servers than an organization may have. */
const max = 10_000;

const connectorsPath = "/api/user/connectors";

/** A service of an earlier version has no such path. */
async function ifHosted<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CliError && error.details?.httpStatus === 404 && error.details.kind === undefined)
      throw new CliError("E_API", "This service has no hosted connectors: use --via local.", {
        httpStatus: 404,
      });
    throw error;
  }
}

export function openMcpCalls(options: HttpOptions) {
  const { page, get, create } = openCaller(options);
  const path = "/api/mcp-servers";
  return {
    /** The servers of the caller's organizations, by slug. */
    list: async () =>
      (
        await collectPages(
          (cursor) => page<ListedServer>(path, shape, { limit: limits.pageSizeMax, cursor }),
          max,
        )
      ).items,
    /** The caller's hosted connectors. Throws `E_API` if the service has none. */
    connectors: () => ifHosted(get<ListedConnector[]>(connectorsPath, [listedConnector])),
    /** Creates the caller's hosted connector to a server, or finds the one that they have. */
    connect: (server: string) =>
      ifHosted(create<CreatedConnector>(connectorsPath, createdConnector, { server })),
    /** `ref`: `org/slug`, a slug or an id. Throws `E_NOT_FOUND` and `E_AMBIGUOUS`. */
    async find(ref: string): Promise<ListedServer> {
      const { items } = await page<ListedServer>(path, shape, { ref });
      const [server, other] = items;
      if (server === undefined)
        throw notFound("mcpServer", ref, `MCP server "${ref}" not found, or you don't have access to it.`);
      if (other !== undefined) throw new CliError("E_AMBIGUOUS", `Several MCP servers are called "${ref}".`);
      return server;
    },
  };
}
