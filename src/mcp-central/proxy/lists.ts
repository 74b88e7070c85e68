/**
 * Lists of a connector's entries. They are read once, kept for a while, and read again when the server reports a
 * change. A slow server delays no caller: its list is left out until it has arrived, and is then known.
 */
import { LRUCache } from "lru-cache";
import type { Client, Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/client";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import { limits } from "../../../contract/limits.ts";
import type { ConnectorProblem } from "../../../contract/vocabulary.ts";
import type { App } from "../../app.ts";
import { noteFailure, noteSuccess } from "../status.ts";
import { problemOf } from "../upstream/failure.ts";
import { poolOf } from "../upstream/pool.ts";
import type { UsableConnector } from "../usable.ts";
import { boundPrompt, boundResource, boundTemplate, boundTool } from "./entries.ts";

export interface Lists {
  tools: Tool[];
  prompts: Prompt[];
  resources: Resource[];
  templates: ResourceTemplateType[];
}
export type ListKind = keyof Lists;

const freshMs = 5 * 60_000;
/** Characters of all kept lists together, as JSON. */
const keptCharacters = 64 * 1024 * 1024;
const pagesMost = 20;

interface Kept {
  entries: unknown[];
  characters: number;
}

/** The list, or the problem because of which it is not there yet. */
export type Listed<K extends ListKind> = { entries: Lists[K] } | { problem: ConnectorProblem };

export interface ListCache {
  /** Waits for a bounded time only. */
  list<K extends ListKind>(usable: UsableConnector, kind: K): Promise<Listed<K>>;
}

const caches = new WeakMap<App, ListCache>();

export function listsOf(app: App): ListCache {
  let cache = caches.get(app);
  if (!cache) caches.set(app, (cache = openLists(app)));
  return cache;
}

function openLists(app: App): ListCache {
  const kept = new LRUCache<string, Kept>({
    max: 10_000,
    maxSize: keptCharacters,
    sizeCalculation: (value) => Math.max(1, value.characters),
    ttl: freshMs,
  });
  const flights = new SingleFlight<Listed<ListKind>>(Infinity);
  poolOf(app).onListChange((_userId, connectorId, changed) => {
    for (const key of kept.keys())
      if (key.startsWith(`${connectorId} `) && (key.endsWith(changed) || changed === "resources"))
        kept.delete(key);
  });

  const keyOf = ({ connector, server }: UsableConnector, kind: ListKind) =>
    `${connector._id} ${connector.generation} ${server.revision} ${kind}`;

  async function read(usable: UsableConnector, kind: ListKind): Promise<Listed<ListKind>> {
    try {
      const found = await poolOf(app).use(usable, (client) => readAll(client, kind));
      kept.set(keyOf(usable, kind), found);
      noteSuccess(app, usable.connector);
      return { entries: found.entries } as Listed<ListKind>;
    } catch (error) {
      const problem = problemOf(error);
      noteFailure(app, usable.connector, problem);
      return { problem };
    }
  }

  return {
    async list(usable, kind) {
      const key = keyOf(usable, kind);
      const known = kept.get(key);
      if (known) return { entries: known.entries } as Listed<typeof kind>;
      const reading = flights.run(key, () => read(usable, kind));
      return (await within(reading, limits.connectorListMs)) as Listed<typeof kind>;
    },
  };
}

async function within(reading: Promise<Listed<ListKind>>, waitMs: number): Promise<Listed<ListKind>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Listed<ListKind>>((resolve) => {
    timer = setTimeout(() => resolve({ problem: "timed_out" }), waitMs);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Entry = Tool | Prompt | Resource | ResourceTemplateType;

interface Page {
  entries: Entry[];
  nextCursor: string | undefined;
}

const capabilityOf = {
  tools: "tools",
  prompts: "prompts",
  resources: "resources",
  templates: "resources",
} as const;

/** The first entries of all pages, each name once, as many as fit. */
async function readAll(client: Client, kind: ListKind): Promise<Kept> {
  const kept = new Map<string, unknown>();
  let characters = 0;
  let cursor: string | undefined;
  if (!client.getServerCapabilities()?.[capabilityOf[kind]]) return { entries: [], characters };
  for (let page = 0; page < pagesMost; page++) {
    const read = await readPage(client, kind, cursor === undefined ? {} : { cursor });
    for (const entry of read.entries) {
      const key = keyOfEntry(entry);
      if (kept.has(key)) continue;
      characters += JSON.stringify(entry).length;
      if (kept.size >= limits.connectorEntries || characters > limits.connectorListCharacters)
        return { entries: [...kept.values()], characters };
      kept.set(key, entry);
    }
    cursor = read.nextCursor;
    if (cursor === undefined) break;
  }
  return { entries: [...kept.values()], characters };
}

const keyOfEntry = (entry: Entry): string =>
  "uriTemplate" in entry ? entry.uriTemplate : "uri" in entry ? entry.uri : entry.name;

async function readPage(client: Client, kind: ListKind, params: { cursor?: string }): Promise<Page> {
  if (kind === "tools") {
    const { tools, nextCursor } = await client.request({ method: "tools/list", params });
    return { entries: bounded(tools).map(boundTool), nextCursor };
  }
  if (kind === "prompts") {
    const { prompts, nextCursor } = await client.request({ method: "prompts/list", params });
    return { entries: bounded(prompts).map(boundPrompt), nextCursor };
  }
  if (kind === "resources") {
    const { resources, nextCursor } = await client.request({ method: "resources/list", params });
    return { entries: bounded(resources).flatMap(boundResource), nextCursor };
  }
  const { resourceTemplates, nextCursor } = await client.request({
    method: "resources/templates/list",
    params,
  });
  return { entries: bounded(resourceTemplates).flatMap(boundTemplate), nextCursor };
}

const bounded = <T>(entries: T[]): T[] => entries.slice(0, limits.connectorEntries);
