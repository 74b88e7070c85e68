/** Builds the protocol's server object for one request. It holds nothing: everything comes from the surface. */
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type CacheHint,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import type { Actor } from "../access/actor.ts";
import type { Call, CallServices } from "./call.ts";
import type { PlainCall } from "./endpoint/plain-calls.ts";
import { failureOf, protocolFailure } from "./failures.ts";
import { addPrompts } from "./tools/prompts.ts";
import { describeTool, isOffered, runTool, type ListedTool } from "./tools/run-tool.ts";
import type { FileContent, Surface } from "./tools/surface.ts";
import type { Tool } from "./tools/tool.ts";

/** Time for which clients may use a list without asking again. */
const listTtlMs = 60_000;

/** A surface with its tools described, once per process. */
export interface PreparedSurface extends Surface {
  listed: readonly ListedTool[];
  byName: ReadonlyMap<string, Tool>;
  version: string;
}

export function prepareSurface(surface: Surface, version: string): PreparedSurface {
  return {
    ...surface,
    version,
    listed: surface.tools.map(describeTool),
    byName: new Map(surface.tools.map((tool) => [tool.name, tool])),
  };
}

const instructions =
  "This service has skills and rules for agents. Find them with search_skills, read one with read_skill and follow it. " +
  "A skill is named organization/slug. Publish your own with publish_skill, and changes with publish_version.";

const anonymousInstructions = `${instructions} You are not signed in, so you find public skills only: call whoami to sign in.`;

/** Which parts of the protocol the request needs; a part that is not needed costs nothing. */
export interface Needs {
  resources: boolean;
}

export function buildServer(
  surface: PreparedSurface,
  call: Call,
  services: CallServices,
  needs: Needs,
): McpServer {
  const cacheHint: CacheHint = {
    ttlMs: listTtlMs,
    cacheScope: cacheScopeOf(call.actor),
  };
  const server = new McpServer(
    { name: "svc", title: "Skill library", version: surface.version },
    {
      instructions: call.actor.kind === "anonymous" ? anonymousInstructions : instructions,
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
        completions: {},
      },
      cacheHints: {
        "tools/list": cacheHint,
        "prompts/list": cacheHint,
        "resources/list": cacheHint,
        "resources/templates/list": cacheHint,
      },
    },
  );
  addTools(server, surface, call, services);
  addPrompts(server, surface, call, services);
  if (needs.resources) addResources(server, surface, call, services, cacheHint);
  return server;
}

/** The facts about a caller from which `tools/list` follows: the offered tools, and who may keep the list. */
export function offeredTo({ tools }: PreparedSurface, actor: Actor): string {
  const offered = tools.map((tool) => (isOffered(tool, actor) ? "1" : "0"));
  return `${cacheScopeOf(actor)} ${offered.join("")}`;
}

const cacheScopeOf = (actor: Actor) => (actor.kind === "anonymous" ? "public" : "private");

function addTools(server: McpServer, surface: PreparedSurface, call: Call, services: CallServices): void {
  server.server.setRequestHandler("tools/list", () => ({
    tools: surface.tools.flatMap((tool, at) => (isOffered(tool, call.actor) ? [surface.listed[at]!] : [])),
  }));
  server.server.setRequestHandler("tools/call", ({ params }) =>
    callOwn(surface, { name: params.name, given: params.arguments }, call, services),
  );
}

/** Calls a tool by its name. Throws an error of the protocol if there is none. */
export async function callOwn(
  surface: PreparedSurface,
  { name, given }: Omit<PlainCall, "id">,
  call: Call,
  services: CallServices,
): Promise<CallToolResult> {
  const tool = surface.byName.get(name);
  if (tool) return runTool(tool, given, call, services);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${JSON.stringify(name.slice(0, 100))}: tools/list has the names.`,
  );
}

function addResources(
  server: McpServer,
  { skills }: PreparedSurface,
  call: Call,
  services: CallServices,
  cacheHint: CacheHint,
): void {
  const { actor } = call;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      call.signal.throwIfAborted();
      await call.spend("search");
      return await work();
    } catch (thrown) {
      throw protocolFailure(failureOf(thrown, call, services), call.requestId);
    }
  };
  // Registered first, so that it and not the template of the extension is matched by the address of a file.
  server.registerResource(
    "skill-file",
    new ResourceTemplate("skill://{org}/{slug}/{+path}", { list: undefined }),
    { title: "File of a skill", description: "A file of a skill's current version", cacheHint },
    async (uri) => {
      const file = await guarded(() => skills.read(actor, uri.href));
      if (!file) throw missing(uri.href);
      return { contents: [contentsOf(uri.href, file)] };
    },
  );
  const extension = new SkillsExtension({
    cacheHint,
    onWarning: ({ path, message }) => services.log.warn({ path, message }, "a skill can't be listed"),
    source: {
      list: ({ cursor }) => guarded(() => skills.list(actor, cursor)),
      get: (uri) => guarded(() => skills.get(actor, uri)),
      read: (uri) => guarded(() => skills.read(actor, uri)),
      readDirectory: (uri, { cursor }) => guarded(() => skills.readDirectory(actor, uri, cursor)),
    },
  });
  extension.attach(server);
}

const missing = (uri: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource ${uri.slice(0, 300)}.`, { uri });

function contentsOf(uri: string, { mimeType, ...content }: FileContent) {
  return "text" in content
    ? { uri, mimeType, text: content.text }
    : { uri, mimeType, blob: Buffer.from(content.bytes).toString("base64") };
}
