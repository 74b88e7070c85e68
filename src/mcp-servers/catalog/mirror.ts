/**
 * The mirror of a public registry: a pass reads the changes since the last complete one, page by page, and can be
 * continued after each page by another process. The registry's answers are bounded, and nothing of them is executed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../contract/limits.ts";
import { RepoError } from "../../../repos/errors.ts";
import { fetchJson } from "../../../repos/transport/fetch-json.ts";
import type { CatalogPass, CatalogVersion } from "../../../storage/mcp/catalog.ts";
import type { App } from "../../app.ts";
import { convertServer } from "./convert.ts";
import { followCatalog } from "./follow.ts";
import { officialKey, RegistryEntry, RegistryPage } from "./registry-schema.ts";

const pageSize = 100;
const requestMs = 30_000;
/** Pause between requests. */
const pauseMs = 250;
/** A change may become visible after later ones. */
const overlapMs = 10 * 60_000;

/** Completes a pass, then changes the imports that follow the catalog. Throws RepoError; the next call continues. */
export async function mirrorCatalog(app: App): Promise<void> {
  const { url } = app.config.mcpCatalog;
  if (url === undefined) return;
  const { mcpCatalog } = app.storage;
  let state = await mcpCatalog.findState();
  if (state?.url !== url) {
    while ((await mcpCatalog.removeAll()) > 0);
    await mcpCatalog.start(url);
    state = await mcpCatalog.findState();
  }
  const since = state?.since ?? null;
  const pass = state?.pass ?? { since, cursor: null, pages: 0, latest: since };
  const ended = await readPages(app, url, pass);
  await mcpCatalog.endPass(url, ended.latest);
  await followCatalog(app);
}

async function readPages(app: App, url: string, pass: CatalogPass): Promise<CatalogPass> {
  const seen = new Set<string>();
  for (;;) {
    const { entries, next } = await readPage(app, url, pass);
    const latest = await storeEntries(app, entries, pass.latest);
    const read = { ...pass, latest, pages: pass.pages + 1 };
    if (next === null) return read;
    if (seen.has(next) || next === pass.cursor || read.pages >= limits.mcpCatalogPages) {
      // The next pass starts over, with what was read so far in place.
      await app.storage.mcpCatalog.endPass(url, pass.since);
      throw new RepoError("remote_protocol", `${new URL(url).host} does not end its list of MCP servers`);
    }
    seen.add(next);
    pass = { ...read, cursor: next };
    await app.storage.mcpCatalog.savePass(url, pass);
    await sleep(pauseMs);
  }
}

async function readPage(app: App, url: string, { since, cursor }: CatalogPass) {
  const address = new URL(`${url}/v0.1/servers`);
  address.searchParams.set("limit", String(pageSize));
  if (since) {
    const from = new Date(since.getTime() - overlapMs);
    address.searchParams.set("updated_since", from.toISOString());
  }
  if (cursor !== null) address.searchParams.set("cursor", cursor);
  const { servers, metadata } = await fetchCatalogPage(app, address);
  const next = metadata?.nextCursor;
  return { entries: servers, next: next === undefined || next === "" ? null : next };
}

/** A page of a catalog. Throws `RepoError`. */
export async function fetchCatalogPage({ config }: Pick<App, "config">, address: URL) {
  const answer = await fetchJson(address.href, {
    allowPrivateNetwork: config.mcpCatalog.privateNetwork,
    maxBytes: limits.mcpCatalogPageBytes,
    requestMs,
  });
  const page = RegistryPage.safeParse(answer);
  if (!page.success)
    throw new RepoError("remote_protocol", `${address.host} does not send a list of MCP servers`);
  return page.data;
}

/** Stores the entries that have the form of the interface. Returns the time of the latest change. */
async function storeEntries(
  app: App,
  entries: readonly unknown[],
  latest: Date | null,
): Promise<Date | null> {
  const { mcpCatalog } = app.storage;
  const now = app.now();
  let count = await mcpCatalog.count();
  for (const entry of entries) {
    const parsed = RegistryEntry.safeParse(entry);
    if (!parsed.success) continue;
    const version = versionOf(parsed.data, now);
    const { status } = parsed.data._meta[officialKey];
    if (status === "deleted") await mcpCatalog.remove(version._id);
    else if (count++ < limits.mcpCatalogVersions) await mcpCatalog.put(version);
    // A time in the future would hide later changes.
    if (version.updatedAt <= now && (latest === null || version.updatedAt > latest))
      latest = version.updatedAt;
  }
  return latest;
}

function versionOf({ server, _meta }: RegistryEntry, now: Date): CatalogVersion {
  const { name, version } = server;
  const { isLatest = false, updatedAt, publishedAt } = _meta[officialKey];
  const title = toOneLine(server.title ?? "") || name.slice(name.indexOf("/") + 1);
  const changed = updatedAt ?? publishedAt;
  return {
    _id: `${name}@${version}`,
    name,
    version,
    title: toOneLine(title.slice(0, limits.mcpServerName)),
    description: toOneLine(server.description),
    entry: convertServer(server),
    ...(isLatest ? { latest: true as const, terms: termsOf(`${name} ${title} ${server.description}`) } : {}),
    updatedAt: changed === undefined ? now : new Date(changed),
  };
}

/** Words in lower case, each once. */
export function termsOf(text: string): string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, 40)))].slice(0, 200);
}
