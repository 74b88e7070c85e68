/** The endpoint of hosted connectors: one entry per tool, which all connectors share. */
import type { McpServer } from "../../contract/mcp-entries/server.ts";
import type { Context } from "../context.ts";
import { invalidArgument } from "../errors.ts";
import type { Session } from "../state/session.ts";

const variable = "SVC_MCP_CENTRAL_URL";

/** The endpoint as a server: `SVC_MCP_CENTRAL_URL`, or the service's own. Clients authorize by OAuth. */
export function centralServer({ env }: Context, { apiUrl }: Session): McpServer {
  const given = env[variable] ?? "";
  const url = given === "" ? `${apiUrl}/mcp/central` : given;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw invalidArgument(variable, `${variable} is not an http address.`);
  if (parsed.username !== "" || parsed.password !== "")
    throw invalidArgument(variable, `${variable} must not contain a password.`);
  return {
    slug: "svc-central",
    tenantSlug: "svc",
    transport: "http",
    url,
    args: [],
    env: [],
    headers: [],
    variables: [],
  };
}
