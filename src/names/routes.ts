import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { NamePayload } from "../../contract/payloads/organizations/names.ts";
import type { App } from "../app.ts";
import { routesOf, type Route } from "../http/route.ts";
import { resolveNames } from "./resolve-names.ts";

const route = routesOf({ tag: "Operation", auth: "required", budget: "search" });

const ResolveNames = z.object({
  ids: z
    .array(z.string().min(1).max(64))
    .max(limits.pageSizeMax)
    .meta({ description: "ids of organizations, users, teams, roles, folders and skills, in any order" }),
});

export function nameRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/names",
      id: "resolveNames",
      summary: "Read the names of the objects that ids refer to; ids that you may not see are left out",
      body: ResolveNames,
      data: z
        .array(NamePayload)
        .max(limits.pageSizeMax)
        .meta({ description: "in the order of the ids, at most one for each" }),
      handle: ({ actor, body }) => resolveNames(app, actor, body.ids),
    }),
  ];
}
