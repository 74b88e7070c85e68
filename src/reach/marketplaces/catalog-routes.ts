/** Marketplaces as JSON documents, and the zips that they name. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { sendCatalog, sendMemberPackage } from "./catalog.ts";
import { CollectionParams, OrganizationParams } from "./schema.ts";

const route = routesOf({ method: "get", tag: "Other clients", auth: "optional", budget: "search" });
const json = { produces: "application/json" } as const;

export function marketplaceCatalogRoutes(app: App): Route[] {
  return [
    route({
      ...json,
      path: "/:org/claude/marketplace.json",
      summary: "An organization's public skills as a marketplace of Claude Code",
      params: OrganizationParams,
      handle: ({ actor, params, request }) => sendCatalog(app, actor, request, { kind: "public", ...params }),
    }),
    route({
      ...json,
      path: "/:org/-/members/claude/marketplace.json",
      summary: "The skills that every member may read, as a marketplace of Claude Code",
      params: OrganizationParams,
      handle: ({ actor, params, request }) =>
        sendCatalog(app, actor, request, { kind: "members", ...params }),
    }),
    route({
      ...json,
      path: "/:org/-/collections/:collection/claude/marketplace.json",
      summary: "A collection's skills as a marketplace of Claude Code",
      params: CollectionParams,
      handle: ({ actor, params, request }) =>
        sendCatalog(app, actor, request, { kind: "collection", ...params }),
    }),
    route({
      path: "/:org/-/packages/:slug/:version.zip",
      summary: "A version of a skill that you may read, as a zip for other clients",
      params: OrganizationParams.extend({
        slug: z.string().max(200),
        version: z.string().max(limits.semverLength),
      }),
      produces: "application/zip",
      handle: ({ actor, params, request }) => sendMemberPackage(app, actor, request, params),
    }),
  ];
}
