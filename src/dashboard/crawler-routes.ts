/** Files that crawlers and researchers look for: `/robots.txt` and `/.well-known/security.txt`. */
import type { App } from "../app.ts";
import { nothingAt } from "../errors.ts";
import { Reply, routesOf, type Route } from "../http/route.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Validity of security.txt; RFC 9116 recommends less than a year. */
const validityMs = 180 * dayMs;

/** Pages of people who have signed in, and routes that no search engine can show. */
const uncrawled = ["/admin", "/api/", "/mcp", "/oauth/", "/settings", "/sign-in", "/sign-up"];
/** The dashboard requests these to draw public pages. */
const crawled = ["/api/explore", "/api/search", "/api/skills/"];

const route = routesOf({
  method: "get",
  tag: "Pages",
  auth: "optional",
  crossOrigin: "always",
  produces: "text/plain",
});

export function crawlerRoutes(app: App): Route[] {
  return [
    route({
      path: "/robots.txt",
      summary: "Paths that crawlers may read, and the site map",
      handle: async () => {
        const rules = [
          "User-agent: *",
          ...crawled.map((path) => `Allow: ${path}`),
          ...uncrawled.map((path) => `Disallow: ${path}`),
        ];
        const hasPublic = await app.storage.skills.hasPublic();
        return textReply(
          hasPublic ? [...rules, "", `Sitemap: ${app.config.baseUrl}/sitemap.xml`] : rules,
          60,
        );
      },
    }),
    route({
      path: "/.well-known/security.txt",
      summary: "Where to report vulnerabilities (RFC 9116)",
      handle: async () => {
        const { securityContacts, baseUrl } = app.config;
        if (!securityContacts) throw nothingAt("/.well-known/security.txt");
        // Unchanged for a day, so that it can be cached.
        const expires = new Date(Math.floor(app.now().getTime() / dayMs) * dayMs + validityMs);
        const fields = [
          ...securityContacts.map((contact) => `Contact: ${contact}`),
          `Expires: ${expires.toISOString()}`,
          `Canonical: ${baseUrl}/.well-known/security.txt`,
        ];
        return textReply(fields, 3600);
      },
    }),
  ];
}

const textReply = (lines: readonly string[], cachedSeconds: number) =>
  new Reply(`${lines.join("\n")}\n`, {
    type: "text/plain; charset=utf-8",
    headers: { "cache-control": `public, max-age=${cachedSeconds}` },
  });
