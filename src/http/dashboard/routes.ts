/**
 * The dashboard: one HTML page for every address of a page, and its assets. The page is the same for every caller, so
 * that an address does not reveal what exists; the front end (`web/`) requests what the caller may see.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { reservedSlugs } from "../../../contract/vocabulary.ts";
import { ServiceError } from "../../errors.ts";
import { Reply, route, type Route } from "../route.ts";
import { dashboardPolicy } from "../security.ts";
import { readAsset, readFrontEnd, type FrontEnd } from "./front-end.ts";

/** Pages that belong to no organization. `web/routes.ts` has the same addresses, which a test compares. */
const servicePages = ["/explore"];
/** Pages of organizations and skills. */
const organizationPages = ["/:org", "/:org/:slug", "/:org/:slug/*rest"];
const slugs = new Set<string>(reservedSlugs);

/** The front end that this process serves. It is read once: a new build is served by the next process. */
function openFrontEnd(): () => Promise<FrontEnd> {
  let reading: Promise<FrontEnd | undefined> | undefined;
  return async () => {
    const read = await (reading ??= readFrontEnd());
    if (read) return read;
    reading = undefined;
    throw new ServiceError("unavailable", "The dashboard was not built. Run `npm run build`.");
  };
}

const page = { method: "get", tag: "Pages", auth: "none", produces: "text/html" } as const;

/** The routes of the dashboard, and its pages at addresses that no other route offers. */
export function openDashboard(): { routes: Route[]; pages: Route[] } {
  const frontEnd = openFrontEnd();
  const pageAt = (path: string) =>
    route({
      ...page,
      path,
      summary: "A page of the dashboard",
      handle: async () => pageOf(await frontEnd()),
    });
  return {
    routes: [assetRoute(frontEnd), ...servicePages.map(pageAt)],
    pages: organizationPages.map((path) => organizationPage(path, frontEnd)),
  };
}

function organizationPage(path: string, frontEnd: () => Promise<FrontEnd>): Route {
  return route({
    ...page,
    path,
    summary: "A page of an organization or skill",
    params: z.object({ org: z.string().max(200) }),
    async handle({ params: { org } }) {
      if (!/^[a-z0-9][a-z0-9-]{1,38}$/.test(org) || slugs.has(org)) throw nothingAt(`/${org}`);
      return pageOf(await frontEnd());
    },
  });
}

/** The page, with a nonce of its own. */
function pageOf({ page }: FrontEnd): Reply {
  const nonce = randomBytes(18).toString("base64");
  return new Reply(page.replaceAll("__CSP_NONCE__", nonce), {
    type: "text/html; charset=utf-8",
    headers: { "content-security-policy": dashboardPolicy(nonce), "cache-control": "no-cache" },
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
      if (!asset) throw nothingAt(`/assets/app/${name.slice(0, 100)}`);
      const accepted = request.header("accept-encoding");
      const encoding = asset.encodings.find((one) =>
        new RegExp(`\\b${one}\\b(?!;q=0(?:\\.0*)?(?:,|$))`).test(accepted),
      );
      return new Reply(await readAsset(name, encoding), {
        type: asset.type,
        headers: {
          "cache-control": "public, max-age=31536000, immutable",
          ...(encoding ? { "content-encoding": encoding } : {}),
        },
      });
    },
  });
}

const nothingAt = (path: string) => new ServiceError("not_found", `There is nothing at ${path}.`);
