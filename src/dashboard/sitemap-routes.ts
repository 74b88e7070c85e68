/**
 * `/sitemap.xml`: the pages of public skills (sitemaps.org), in a file of their own for each 5,000. Files are kept for
 * a minute, so that frequent requests cost little.
 */
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { CatalogPosition } from "../../storage/skills/catalog.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { nothingAt } from "../errors.ts";
import { html, type Html } from "../http/pages/html.ts";
import { TimeCursor, decodeCursor, encodeCursor } from "../http/request/cursor.ts";
import { Reply, route, type Route } from "../http/route.ts";
import { keepAllowed } from "../skills/load.ts";

/** The standard allows 50,000, of which MongoDB and this process would prepare several megabytes for one request. */
export const skillsPerFile = 5000;
const cachedSeconds = 60;
const cachedBytes = 16 * 1024 * 1024;
const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

const SitemapQuery = z.object({
  after: z.string().max(200).optional().meta({ description: "position of a file, as in the index" }),
});
const start: CatalogPosition = { createdAt: new Date(0), id: "" };

export function sitemapRoutes(app: App): Route[] {
  const files = new LRUCache<string, string>({
    maxSize: cachedBytes,
    sizeCalculation: (text) => text.length + 100,
    ttl: cachedSeconds * 1000,
    fetchMethod: (after) => (after === "" ? makeSitemap(app) : makeFile(app, readPosition(after))),
  });
  return [
    route({
      method: "get",
      path: "/sitemap.xml",
      summary: "Pages of the public skills, for search engines",
      tag: "Pages",
      auth: "optional",
      crossOrigin: "always",
      query: SitemapQuery,
      produces: "application/xml",
      budget: "search",
      async handle({ query: { after = "" } }) {
        const text = await files.fetch(after);
        if (!text) throw nothingAt("/sitemap.xml");
        return new Reply(text, {
          type: "application/xml; charset=utf-8",
          headers: { "cache-control": `public, max-age=${cachedSeconds}` },
        });
      },
    }),
  ];
}

function readPosition(after: string): CatalogPosition {
  const { at: createdAt, id } = decodeCursor(after, TimeCursor)!;
  return { createdAt, id };
}

/** One file, or an index of several; undefined without a public skill. */
async function makeSitemap(app: App): Promise<string | undefined> {
  const { skills } = app.storage;
  const positions = [start];
  for (;;) {
    const next = await skills.findCatalogPosition(positions.at(-1)!, skillsPerFile);
    if (!next) break;
    positions.push(next);
  }
  if (positions.length === 1) return makeFile(app, start);
  const entries = positions.map(({ createdAt, id }) => {
    const address = `${app.config.baseUrl}/sitemap.xml?after=${encodeCursor([createdAt.getTime(), id])}`;
    return html`<sitemap><loc>${address}</loc></sitemap> `;
  });
  return document(html`<sitemapindex xmlns="${namespace}"> ${entries}</sitemapindex>`);
}

/** The pages of the skills after a position; undefined if there is none. */
async function makeFile(app: App, after: CatalogPosition): Promise<string | undefined> {
  const listed = await app.storage.skills.listCatalogAfter(after, skillsPerFile);
  // The mark by which they were found may lag behind a restriction.
  const visitor: Actor = { kind: "anonymous", origin: { ipHash: undefined, source: "api", client: "api" } };
  const visible = await keepAllowed(app, visitor, "skill:read", listed);
  if (visible.length === 0) return undefined;
  const entries = visible.map(({ tenantSlug, slug, updatedAt }) => {
    const address = `${app.config.baseUrl}/${tenantSlug}/${slug}`;
    return html`<url><loc>${address}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url> `;
  });
  return document(html`<urlset xmlns="${namespace}"> ${entries}</urlset>`);
}

const document = (root: Html) => `<?xml version="1.0" encoding="UTF-8"?>\n${root.toString()}\n`;
