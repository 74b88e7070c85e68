/** `git clone {base}/{org}/{slug}.git`: smart HTTP (gitprotocol-http), read-only. */
import { z } from "zod";
import { reservedSlugs } from "../../../contract/reserved-slugs.ts";
import type { App } from "../../app.ts";
import { forbidden, nothingAt } from "../../errors.ts";
import { redirectReply } from "../../http/pages/pages.ts";
import { Reply, routesOf, type RequestInfo, type Route } from "../../http/route.ts";
import { advertiseRefs, answerFetch } from "./clone.ts";

const route = routesOf({ tag: "Git", auth: "optional" });
const RepositoryParams = z.object({ org: z.string().max(64), skill: z.string().max(100) });
const ServiceQuery = z.object({ service: z.string().max(100).optional() });
/** Responses depend on the caller, and change with every version. */
const headers = {
  "cache-control": "no-cache, max-age=0, must-revalidate",
  vary: "authorization, git-protocol",
};

const slugs = new Set<string>(reservedSlugs);
const protocolOf = (request: RequestInfo) => request.header("git-protocol");
const readOnly = () =>
  forbidden("A skill's repository is read-only. Publish versions with svc push, or through the API.");

export function cloneRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/:org/:skill.git/info/refs",
      summary: "List the refs of a skill's repository for a Git client",
      forGit: true,
      budget: "clone",
      params: RepositoryParams,
      query: ServiceQuery,
      produces: "application/x-git-upload-pack-advertisement",
      async handle({ actor, params, query, request }) {
        if (query.service !== "git-upload-pack") {
          if (query.service === "git-receive-pack") throw readOnly();
          throw forbidden("Only the smart HTTP protocol is supported. Use Git 1.6.6 or newer.");
        }
        const call = { protocol: protocolOf(request) };
        return new Reply(await advertiseRefs(app, actor, `${params.org}~${params.skill}`, call), {
          type: "application/x-git-upload-pack-advertisement",
          headers,
        });
      },
    }),
    route({
      method: "post",
      path: "/:org/:skill.git/git-upload-pack",
      summary: "Fetch objects of a skill's repository",
      forGit: true,
      cookieless: true,
      stream: true,
      budget: "clone",
      params: RepositoryParams,
      produces: "application/x-git-upload-pack-result",
      async handle({ actor, params, request }) {
        const call = {
          protocol: protocolOf(request),
          body: request.stream,
          encoding: request.header("content-encoding").toLowerCase(),
        };
        return new Reply(await answerFetch(app, actor, `${params.org}~${params.skill}`, call), {
          type: "application/x-git-upload-pack-result",
          headers,
        });
      },
    }),
    route({
      method: "get",
      path: "/:org/:skill/info/refs",
      summary: "Redirect a Git client from the address of a skill's page to its repository",
      auth: "none",
      forGit: true,
      params: RepositoryParams,
      query: ServiceQuery,
      produces: "text/plain",
      handle({ params, query, request }) {
        if (slugs.has(params.org)) throw nothingAt(request.path);
        const search =
          query.service === undefined ? "" : `?${new URLSearchParams({ service: query.service }).toString()}`;
        const [org, skill] = [params.org, params.skill].map(encodeURIComponent);
        return Promise.resolve(redirectReply(`/${org}/${skill}.git/info/refs${search}`));
      },
    }),
    route({
      method: "post",
      path: "/:org/:skill.git/git-receive-pack",
      summary: "Refuse a push: the repository is read-only",
      forGit: true,
      cookieless: true,
      stream: true,
      params: RepositoryParams,
      produces: "text/plain",
      handle: () => Promise.reject(readOnly()),
    }),
  ];
}
