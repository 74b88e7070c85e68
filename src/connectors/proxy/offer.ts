/** The offer of the endpoint of hosted connectors: the entries of all servers of a user, and calls of them. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { limits } from "../../../contract/limits.ts";
import type { UserActor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { notFound } from "../../errors.ts";
import { connectUrl } from "../present.ts";
import { sentenceOf } from "../upstream/problems.ts";
import { isUsable, listConnectors, type UsableConnector } from "../usable.ts";
import {
  cleanText,
  offerContent,
  offerPrompt,
  offerResource,
  offerResult,
  offerTemplate,
  offerTool,
} from "./entries.ts";
import { forward, type Caller } from "./forward.ts";
import { listsOf, type ListKind, type Lists } from "./lists.ts";
import { isSubstitute, offeredName, splitName, splitUri } from "./names.ts";

/** No connector has this slug, which the registry reserves. */
const statusTool = "central__status";

export async function listTools(app: App, user: UserActor): Promise<Tool[]> {
  return [describeStatus(), ...(await listAll(app, user, "tools", offerTool))];
}

export const listPrompts = (app: App, user: UserActor) => listAll(app, user, "prompts", offerPrompt);
export const listResources = (app: App, user: UserActor) => listAll(app, user, "resources", offerResource);
export const listTemplates = (app: App, user: UserActor) => listAll(app, user, "templates", offerTemplate);

/** The lists of all connectors. Those that can't be used, or do not answer in time, are left out. */
async function listAll<K extends ListKind>(
  app: App,
  user: UserActor,
  kind: K,
  offer: (connector: string, entry: Lists[K][number]) => Lists[K][number],
): Promise<Lists[K][number][]> {
  const usable = (await listConnectors(app, user)).filter(isUsable);
  const lists = await Promise.all(
    usable.map(async (one) => {
      const listed = await listsOf(app).list(one, kind);
      if ("problem" in listed) return [];
      return listed.entries.map((entry) => offer(one.connector.slug, entry));
    }),
  );
  return lists.flat();
}

/** The server's own name. Only the server's list has the original of a substitute. */
async function originalName(
  app: App,
  usable: UsableConnector,
  kind: "tools" | "prompts",
  name: string,
): Promise<string> {
  if (!isSubstitute(name)) return name;
  const { slug } = usable.connector;
  const listed = await listsOf(app).list<"tools" | "prompts">(usable, kind);
  const entries = "entries" in listed ? listed.entries : [];
  const found = entries.find((entry) => offeredName(slug, entry.name) === `${slug}__${name}`);
  if (!found) throw notFound("connector", `${slug}__${name}`);
  return found.name;
}

export async function callTool(
  app: App,
  caller: Caller,
  offered: string,
  given: Record<string, unknown> | undefined,
): Promise<CallToolResult> {
  if (offered === statusTool) return reportStatus(app, caller.user);
  const { connector, name } = splitName(offered) ?? missing(offered);
  return forward(app, caller, { connector, kind: "tool", name }, async (client, options, usable) => {
    const original = await originalName(app, usable, "tools", name);
    const params = { name: original, arguments: given };
    return offerResult(connector, await client.request({ method: "tools/call", params }, options));
  });
}

export async function getPrompt(
  app: App,
  caller: Caller,
  offered: string,
  given: Record<string, string> | undefined,
) {
  const { connector, name } = splitName(offered) ?? missing(offered);
  return forward(app, caller, { connector, kind: "prompt", name }, async (client, options, usable) => {
    const original = await originalName(app, usable, "prompts", name);
    const params = { name: original, arguments: given };
    const { description, messages } = await client.request({ method: "prompts/get", params }, options);
    return {
      description:
        description === undefined ? undefined : cleanText(description, limits.connectorDescription),
      messages: messages.map(({ role, content }) => ({ role, content: offerContent(connector, content) })),
    };
  });
}

export async function readResource(app: App, caller: Caller, offered: string) {
  const { connector, uri } = splitUri(offered) ?? missing(offered);
  return forward(app, caller, { connector, kind: "resource" }, async (client, options) => {
    const { contents } = await client.request({ method: "resources/read", params: { uri } }, options);
    return { contents: contents.map((content) => offerResource(connector, content)) };
  });
}

function missing(offered: string): never {
  throw notFound("connector", offered.slice(0, 200));
}

function describeStatus(): Tool {
  return {
    name: statusTool,
    title: "Status of the connectors",
    description:
      "Lists the user's hosted connectors with their status. Those that need the user have the address of the page " +
      "on which to connect.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

async function reportStatus(app: App, user: UserActor): Promise<CallToolResult> {
  const seen = await listConnectors(app, user);
  const connectors = seen.map(({ connector, server, status, problem }) => ({
    connector: connector.slug,
    server: server ? cleanText(server.name, limits.mcpServerName) : null,
    connectionStatus: status,
    problem: problem ? sentenceOf(problem) : null,
    connectUrl: status === "connected" || status === "disabled" ? null : connectUrl(app, connector.publicId),
  }));
  const lines = connectors.map(
    ({ connector, connectionStatus, problem, connectUrl: url }) =>
      `${connector}: ${connectionStatus}${problem ? `. ${problem}` : ""}${url ? ` Connect at ${url}` : ""}`,
  );
  const none = `No connectors yet. The user creates them at ${app.config.baseUrl}/settings/connectors.`;
  return {
    content: [{ type: "text", text: lines.length > 0 ? lines.join("\n") : none }],
    structuredContent: { connectors },
  };
}
