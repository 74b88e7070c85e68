/** Clients of the MCP server, of both generations of the protocol, and calls by hand. */
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestService } from "../service.ts";

const info = { name: "test", version: "1.0.0" };

const requestInit = (token: string | undefined) =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };

/** A client of the stateless protocol. */
export async function openModernClient(
  { url }: Pick<TestService, "url">,
  token?: string,
  path = "/mcp",
): Promise<Client> {
  const client = new Client(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(path, url), { requestInit: requestInit(token) }),
  );
  return client;
}

/** A client of the protocol with `initialize`. */
export async function openLegacyClient(
  { url }: Pick<TestService, "url">,
  token?: string,
  path = "/mcp",
): Promise<LegacyClient> {
  const client = new LegacyClient(info);
  await client.connect(new LegacyTransport(new URL(path, url), { requestInit: requestInit(token) }));
  return client;
}

export type AnyClient = Client | LegacyClient;

/** A client of each protocol version. */
export async function openClients(
  service: Pick<TestService, "url">,
  token?: string,
): Promise<[era: string, client: AnyClient][]> {
  return [
    ["2026", await openModernClient(service, token)],
    ["2025", await openLegacyClient(service, token)],
  ];
}

export interface ToolAnswer<T = Record<string, unknown>> {
  data: T;
  text: string;
  links: { uri: string; mimeType?: string }[];
  /** Only of a refused call. */
  error: { code: string; details?: Record<string, unknown> } | undefined;
}

/** Calls a tool. A refusal of the whole request throws, as it does in the client. */
export async function callTool<T = Record<string, unknown>>(
  client: AnyClient,
  name: string,
  input: object,
): Promise<ToolAnswer<T>> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  const content = result.content as { type: string; text?: string; uri?: string; mimeType?: string }[];
  const texts = content.flatMap((one) => (one.type === "text" ? [one.text!] : []));
  return {
    data: result.structuredContent as T,
    text: texts[0] ?? "",
    links: content.flatMap((one) =>
      one.type === "resource_link" ? [{ uri: one.uri!, mimeType: one.mimeType }] : [],
    ),
    error: result.isError ? (JSON.parse(texts[1]!) as { code: string }) : undefined,
  };
}

/** A call that is to succeed. */
export async function callOk<T = Record<string, unknown>>(
  client: AnyClient,
  name: string,
  input: object,
): Promise<ToolAnswer<T>> {
  const answer = await callTool<T>(client, name, input);
  assert.equal(answer.error, undefined, `${name}: ${answer.text}`);
  return answer;
}
