/** Clients of both generations of the protocol that wait for changes of the lists of `/mcp/central`. */
import type { TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { TestUser } from "../support/service.ts";
import { until } from "../support/until.ts";
import type { CentralFixture } from "./fixture.ts";

type List = "tools" | "prompts" | "resources";

export interface Listener {
  client: Client | LegacyClient;
  /** Number of reports that a list has changed. */
  heard: Record<List, number>;
}

const info = { name: "test", version: "1.0.0" };
const nothing = () => ({ tools: 0, prompts: 0, resources: 0 });

/**
 * A client of each protocol version, until the end of the test: one that is left open would have its lists read during
 * the next test. When it resolves, each later change is reported.
 */
export async function listen(
  test: TestContext,
  { service }: CentralFixture,
  { token }: TestUser,
): Promise<Listener[]> {
  const address = new URL("/mcp/central", service.url);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const ofModern = nothing();
  const reporting = (list: List) => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => void ofModern[list]++,
  });
  const modern = new Client(info, {
    versionNegotiation: { mode: "auto" },
    listChanged: {
      tools: reporting("tools"),
      prompts: reporting("prompts"),
      resources: reporting("resources"),
    },
  });
  await modern.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  test.after(() => modern.close());
  const ofLegacy = nothing();
  const legacy = new LegacyClient(info);
  legacy.setNotificationHandler(ToolListChangedNotificationSchema, () => void ofLegacy.tools++);
  legacy.setNotificationHandler(PromptListChangedNotificationSchema, () => void ofLegacy.prompts++);
  legacy.setNotificationHandler(ResourceListChangedNotificationSchema, () => void ofLegacy.resources++);
  let isOpen = false;
  const transport = new LegacyTransport(address, {
    requestInit,
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (init?.method === "GET") isOpen = response.ok;
      return response;
    },
  });
  await legacy.connect(transport);
  test.after(() => legacy.close());
  await until("the stream of the client with initialize", () => isOpen);
  return [
    { client: modern, heard: ofModern },
    { client: legacy, heard: ofLegacy },
  ];
}

/** Names that a list has. */
export async function namesOf({ client }: Listener, list: List = "tools"): Promise<string[]> {
  if (list === "tools") return (await client.listTools()).tools.map(({ name }) => name);
  if (list === "prompts") return (await client.listPrompts()).prompts.map(({ name }) => name);
  return (await client.listResources()).resources.map(({ uri }) => uri);
}

/** Waits until all have heard of a change of a list, which then is as expected. */
export async function change(
  listeners: Listener[],
  make: () => unknown,
  isExpected: (names: string[]) => boolean,
  list: List = "tools",
): Promise<void> {
  const previous = listeners.map(({ heard }) => heard[list]);
  await make();
  for (const [at, listener] of listeners.entries())
    await until(
      `the change of the ${list}`,
      async () => listener.heard[list] > previous[at]! && isExpected(await namesOf(listener, list)),
    );
}
