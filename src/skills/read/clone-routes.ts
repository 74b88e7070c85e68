/** `git clone {base}/{org}/{slug}.git`. */
import { z } from "zod";
import { reservedSlugs } from "../../../contract/names/reserved-slugs.ts";
import type { App } from "../../app.ts";
import { gitRoutes, ServiceQuery } from "../../clone/git-endpoints.ts";
import { nothingAt } from "../../errors.ts";
import { redirectReply } from "../../http/pages/pages.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { openClone } from "./clone.ts";

const route = routesOf({ tag: "Git", auth: "none" });
const RepositoryParams = z.object({ org: z.string().max(64), skill: z.string().max(100) });
const slugs = new Set<string>(reservedSlugs);

export function cloneRoutes(app: App): Route[] {
  return [
    ...gitRoutes(app, {
      path: "/:org/:skill.git",
      named: "a skill's repository",
      params: RepositoryParams,
      readOnly: "A skill's repository is read-only. Publish versions with svc push, or through the API.",
      open: (actor, { org, skill }, { advertises }) =>
        openClone(app, actor, `${org}~${skill}`, { updates: advertises }),
    }),
    route({
      method: "get",
      path: "/:org/:skill/info/refs",
      summary: "Redirect a Git client from the address of a skill's page to its repository",
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
  ];
}
