/** Marketplaces as Git repositories, each for one audience. */
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { gitRoutes } from "../../clone/git-endpoints.ts";
import type { OpenedRepository } from "../../clone/serve.ts";
import type { Route } from "../../http/route.ts";
import { loadAudience, type MarketplaceRef } from "./audience.ts";
import { currentMarketplace, folderOf } from "./marketplace.ts";
import { CollectionParams, OrganizationParams } from "./schema.ts";

const readOnly = "A marketplace is made of skills, and read-only: publish versions of the skills instead.";

export function marketplaceGitRoutes(app: App): Route[] {
  return [
    ...gitRoutes(app, {
      path: "/:org.git",
      named: "an organization's public skills as plugins",
      params: OrganizationParams,
      readOnly,
      open: (actor, params) => open(app, actor, { kind: "public", ...params }),
    }),
    ...gitRoutes(app, {
      path: "/:org/-/members.git",
      named: "the skills that every member may read, as plugins",
      params: OrganizationParams,
      readOnly,
      open: (actor, params) => open(app, actor, { kind: "members", ...params }),
    }),
    ...gitRoutes(app, {
      path: "/:org/-/collections/:collection.git",
      named: "a collection's skills as plugins",
      params: CollectionParams,
      readOnly,
      open: (actor, params) => open(app, actor, { kind: "collection", ...params }),
    }),
  ];
}

/** Each request brings the repository up to date, so that none is answered from one with a withdrawn skill. */
async function open(app: App, actor: Actor, ref: MarketplaceRef): Promise<OpenedRepository> {
  const audience = await loadAudience(app, actor, ref);
  const { marketplace } = await currentMarketplace(app, actor, audience);
  return { directory: () => folderOf(app, marketplace) };
}
