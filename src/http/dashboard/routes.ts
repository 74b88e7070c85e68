/**
 * The dashboard: one HTML page for every address of a page, and its assets. The page is the same for every caller, so
 * that an address does not reveal what exists; the front end (`web/`) requests what the caller may see. Pages of what
 * anyone may read also contain a description, for clients without script.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { keepSuccess } from "../../../contract/concurrency/keep-success.ts";
import { reservedSlugs } from "../../../contract/names/reserved-slugs.ts";
import { nothingAt, ServiceError } from "../../errors.ts";
import { Reply, route, type Route } from "../route.ts";
import { dashboardPolicy } from "../service/security.ts";
import { acceptsHtml, insertDescription, type DescribePage, type PageDescription } from "./describe.ts";
import { diagramRoute, diagramScript } from "./diagram-frame.ts";
import { readAsset, readFrontEnd, type FrontEnd } from "./front-end.ts";

/** Pages that belong to no organization. `web/routes.ts` has the same addresses, which a test compares. */
const servicePages = [
  "/",
  "/admin",
  "/admin/audit",
  "/admin/connections",
  "/admin/health",
  "/admin/held-versions",
  "/admin/jobs",
  "/admin/organizations",
  "/admin/settings",
  "/admin/signing-keys",
  "/admin/users",
  "/new",
  "/orgs/new",
  "/settings",
  "/settings/account",
  "/settings/activity",
  "/settings/appearance",
  "/settings/applications",
  "/settings/connectors",
  "/settings/installs",
  "/settings/notifications",
  "/settings/profile",
  "/settings/security",
  "/settings/tokens",
];
/** Pages that may have a description. */
const describedPages = ["/explore"];
/** Pages of organizations and skills that may have a description. */
const describedOrganizationPages = ["/:org", "/:org/:slug"];
/** Further pages of organizations and skills. */
const organizationPages = [
  "/:org/-/analytics",
  "/:org/-/audit",
  "/:org/-/ci",
  "/:org/-/collections",
  "/:org/-/collections/:collection",
  "/:org/-/library",
  "/:org/-/library/*rest",
  "/:org/-/mcp",
  "/:org/-/mcp/:server",
  "/:org/-/mcp/:server/edit",
  "/:org/-/people",
  "/:org/-/people/check",
  "/:org/-/people/invitations",
  "/:org/-/people/members/:member",
  "/:org/-/people/roles",
  "/:org/-/people/teams",
  "/:org/-/people/teams/:team",
  "/:org/-/reviews",
  "/:org/-/reviews/:slug/:version",
  "/:org/-/scim",
  "/:org/-/security",
  "/:org/-/settings",
  "/:org/-/sso",
  "/:org/-/sync",
  "/:org/-/tokens",
  "/:org/-/webhooks",
  "/:org/-/workspaces",
  "/:org/:slug/analytics",
  "/:org/:slug/compare",
  "/:org/:slug/compare/:range",
  "/:org/:slug/edit",
  "/:org/:slug/files/*rest",
  "/:org/:slug/installs",
  "/:org/:slug/settings",
  "/:org/:slug/versions",
];
/** Addresses that may look like those of a page. */
const otherAddresses = "/:org/:slug/*rest";
const slugs = new Set<string>(reservedSlugs);

/** The front end that this process serves. It is read once: a new build is served by the next process. */
function openFrontEnd(): () => Promise<FrontEnd> {
  return keepSuccess(async () => {
    const read = await readFrontEnd();
    if (!read) throw new ServiceError("unavailable", "The dashboard was not built. Run `npm run build`.");
    return read;
  });
}

const pageRoute = { method: "get", tag: "Pages", produces: "text/html" } as const;

/** The routes of the dashboard, and its pages at addresses that no other route offers. */
export function openDashboard(describe: DescribePage): { routes: Route[]; pages: Route[] } {
  const frontEnd = openFrontEnd();
  const describedAt = (path: string) => describedPage(path, frontEnd, describe);
  const plainAt = (path: string) => plainPage(path, frontEnd);
  return {
    routes: [
      assetRoute(frontEnd),
      diagramRoute(frontEnd),
      ...servicePages.map(plainAt),
      ...describedPages.map(describedAt),
    ],
    pages: [
      ...describedOrganizationPages.map(describedAt),
      ...organizationPages.map((path) => plainPage(path, frontEnd, { forBrowsers: true })),
      notFoundPage(frontEnd),
    ],
  };
}

const PageParams = z.object({ org: z.string().max(200).optional(), slug: z.string().max(200).optional() });

/** `forBrowsers`: a program, which expects a file or data at an address below a skill, gets 404. */
function plainPage(
  path: string,
  frontEnd: () => Promise<FrontEnd>,
  { forBrowsers = false }: { forBrowsers?: boolean } = {},
): Route {
  return route({
    ...pageRoute,
    path,
    summary: "A page of the dashboard",
    auth: "none",
    params: PageParams,
    async handle({ params: { org, slug }, request }) {
      checkAddress({ org, slug }, request.path);
      if (forBrowsers && !acceptsHtml(request)) throw nothingAt(request.path);
      return pageOf(await frontEnd());
    },
  });
}

/** Route for unknown addresses: a page for browsers, an error for programs. */
function notFoundPage(frontEnd: () => Promise<FrontEnd>): Route {
  return route({
    ...pageRoute,
    path: otherAddresses,
    summary: "An address that no page has",
    auth: "none",
    params: PageParams,
    async handle({ params, request }) {
      checkAddress(params, request.path);
      if (!acceptsHtml(request)) throw nothingAt(request.path);
      const page = pageOf(await frontEnd());
      page.status = 404;
      return page;
    },
  });
}

function describedPage(path: string, frontEnd: () => Promise<FrontEnd>, describe: DescribePage): Route {
  return route({
    ...pageRoute,
    path,
    summary: "A page of the dashboard, with a description of what anyone may read",
    auth: "deferred",
    params: PageParams,
    async handle({ actor, params, request }) {
      checkAddress(params, request.path);
      const described = await describe(params, actor, request);
      if (described instanceof Reply) return described;
      // A page without a description may be of something that does not exist, which only browsers show.
      if (!described && params.org !== undefined && !acceptsHtml(request)) throw nothingAt(request.path);
      return pageOf(await frontEnd(), described);
    },
  });
}

/** Throws `not_found` for what can't be an organization or a skill, in the words of a path that no route has. */
function checkAddress({ org, slug }: z.output<typeof PageParams>, path: string): void {
  const isOrganization = org === undefined || (/^[a-z0-9][a-z0-9-]{1,38}$/.test(org) && !slugs.has(org));
  const isSkill = slug === undefined || /^[a-z0-9-]+$/.test(slug);
  if (!isOrganization || !isSkill) throw nothingAt(path);
}

/** The page, with a nonce of its own. The nonce is inserted first, so that no description can contain it. */
function pageOf({ page }: FrontEnd, described?: PageDescription): Reply {
  const nonce = randomBytes(18).toString("base64");
  const shell = page.replaceAll("__CSP_NONCE__", nonce);
  return new Reply(described ? insertDescription(shell, described) : shell, {
    type: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": dashboardPolicy(nonce),
      "cache-control": "no-cache",
      vary: "Accept",
    },
  });
}

function assetRoute(frontEnd: () => Promise<FrontEnd>): Route {
  return route({
    method: "get",
    path: "/assets/app/:file",
    summary: "A file of the dashboard",
    tag: "Pages",
    auth: "none",
    produces: "text/javascript",
    params: z.object({ file: z.string().max(200) }),
    async handle({ params, request }) {
      const name = params.file;
      const asset = (await frontEnd()).assets.get(name);
      // Never the page: a script of an older release that is gone would be parsed as HTML.
      if (!asset) throw nothingAt(`/assets/app/${name}`);
      const accepted = request.header("accept-encoding");
      const encoding = asset.encodings.find((one) =>
        new RegExp(`\\b${one}\\b(?!;q=0(?:\\.0*)?(?:,|$))`).test(accepted),
      );
      return new Reply(await readAsset(name, encoding), {
        type: asset.type,
        headers: {
          "cache-control": "public, max-age=31536000, immutable",
          // The frame that loads it has no origin.
          ...(diagramScript.test(name) ? { "cross-origin-resource-policy": "cross-origin" } : {}),
          ...(encoding ? { "content-encoding": encoding } : {}),
        },
      });
    },
  });
}
