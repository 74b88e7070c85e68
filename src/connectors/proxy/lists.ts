/**
 * Lists of a connector's entries. They are read once, kept for a while, and read again when the server reports a
 * change. A slow server delays no caller: its list is left out until it has arrived, and is then known.
 */
import { createHash } from "node:crypto";
import type { Client, Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/client";
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import { withinTime } from "../../../contract/concurrency/within-time.ts";
import { limits } from "../../../contract/limits.ts";
import type { ConnectorProblem } from "../../../contract/vocabulary.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { noteFailure, noteSuccess } from "../status.ts";
import { problemOf } from "../upstream/failure.ts";
import type { ChangedList } from "../upstream/follow.ts";
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
/** A list that could not be read is read again after this time, unless a caller asks for it. */
const retryMs = 60_000;
/** Characters of all kept lists together, as JSON. */
const keptCharacters = 64 * 1024 * 1024;
const maxPages = 20;
/** Times that a list is read which changes while it is read. */
const maxRounds = 3;

const keeping = {
  max: 10_000,
  maxSize: keptCharacters,
  sizeCalculation: ({ characters }: Kept) => Math.max(1, characters),
  ttl: freshMs,
};

interface Kept {
  entries: unknown[];
  characters: number;
  /** Hash of the entries; empty without any. */
  mark: string;
  /** The client that has read them, which hears of their changes for as long as it is open. */
  reader: number;
}

/** The list, or the problem because of which it is not there yet. */
export type Listed<K extends ListKind> = { entries: Lists[K] } | { problem: ConnectorProblem };

export interface ListCache {
  /** Waits for a bounded time only. */
  list<K extends ListKind>(usable: UsableConnector, kind: K): Promise<Listed<K>>;
  /**
   * A text that changes with the list, for those who wait for its changes; empty while there is none. Waits as `list`
   * does, and reads it if its changes could have been missed.
   */
  mark(usable: UsableConnector, kind: ListKind): Promise<string>;
}

export const listsOf = perApp(openLists);

const keyOf = ({ connector, server }: UsableConnector, kind: ListKind) =>
  `${connector._id} ${connector.credentialsRevision} ${server.revision} ${kind}`;

/** Whether the list of a key is one of those that a server has changed. */
const concerns = (key: string, connectorId: string, changed: ChangedList) =>
  key.startsWith(`${connectorId} `) &&
  (key.endsWith(changed) || (changed === "resources" && key.endsWith("templates")));

function openLists(app: App): ListCache {
  const kept = new LRUCache<string, Kept>(keeping);
  const failed = new LRUCache<string, true>({ max: 10_000, ttl: retryMs });
  const flights = new SingleFlight<Listed<ListKind>>(Infinity);
  /** Lists that are being read, and whether they have changed meanwhile. */
  const reading = new Map<string, { hasChanged: boolean }>();
  poolOf(app).onListChange((_userId, connectorId, changed) => {
    for (const key of kept.keys()) if (concerns(key, connectorId, changed)) kept.delete(key);
    for (const [key, state] of reading) if (concerns(key, connectorId, changed)) state.hasChanged = true;
  });

  async function read(usable: UsableConnector, kind: ListKind): Promise<Listed<ListKind>> {
    const key = keyOf(usable, kind);
    const state = { hasChanged: false };
    reading.set(key, state);
    try {
      let found: Kept;
      let round = 0;
      do {
        state.hasChanged = false;
        found = await poolOf(app).use(usable, (client, reader) => readAll(client, kind, reader));
      } while (state.hasChanged && ++round < maxRounds);
      kept.set(key, found);
      failed.delete(key);
      noteSuccess(app, usable.connector);
      return { entries: found.entries } as Listed<ListKind>;
    } catch (error) {
      const problem = problemOf(error);
      noteFailure(app, usable.connector, problem);
      failed.set(key, true);
      return { problem };
    } finally {
      reading.delete(key);
    }
  }

  const readInTime = (usable: UsableConnector, kind: ListKind) =>
    withinTime<Listed<ListKind>, Listed<ListKind>>(
      flights.run(keyOf(usable, kind), () => read(usable, kind)),
      app.config.mcpCentral.listMs,
      () => ({ problem: "timed_out" }),
    );

  return {
    async list(usable, kind) {
      const known = kept.get(keyOf(usable, kind));
      if (known) return { entries: known.entries } as Listed<typeof kind>;
      return (await readInTime(usable, kind)) as Listed<typeof kind>;
    },
    async mark(usable, kind) {
      const key = keyOf(usable, kind);
      const open = poolOf(app).keep(usable);
      const known = kept.get(key);
      const isFollowed = known !== undefined && (open === "no_room" || open === known.reader);
      if (!isFollowed && !failed.has(key)) await readInTime(usable, kind);
      return kept.get(key)?.mark ?? "";
    },
  };
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
async function readAll(client: Client, kind: ListKind, reader: number): Promise<Kept> {
  const kept = new Map<string, unknown>();
  const hash = createHash("sha256");
  let characters = 0;
  const result = (): Kept => ({
    reader,
    entries: [...kept.values()],
    characters,
    mark: kept.size === 0 ? "" : hash.digest("base64url"),
  });
  let cursor: string | undefined;
  if (!client.getServerCapabilities()?.[capabilityOf[kind]]) return result();
  for (let page = 0; page < maxPages; page++) {
    const read = await readPage(client, kind, cursor === undefined ? {} : { cursor });
    for (const entry of read.entries) {
      const key = keyOfEntry(entry);
      if (kept.has(key)) continue;
      const text = JSON.stringify(entry);
      if (kept.size >= limits.connectorEntries || characters + text.length > limits.connectorListCharacters)
        return result();
      characters += text.length;
      hash.update(text);
      kept.set(key, entry);
    }
    cursor = read.nextCursor;
    if (cursor === undefined) break;
  }
  return result();
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
