/** Routes about who gets a version. */
import { z } from "zod";
import {
  ReachedInstallPayload,
  SkillReachPayload,
  pinClasses,
} from "../../../contract/payloads/skills/reach.ts";
import type { App } from "../../app.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { SkillParams } from "../schema.ts";
import { listReached, readReach } from "./reach.ts";

const route = routesOf({
  tag: "Analytics",
  auth: "required",
  budget: "analytics",
});

const ReachQuery = z.object({
  version: z.string().max(256).optional().meta({
    description: "number, exact version or range; default: the current version",
  }),
});

export function reachRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/reach",
      id: "getReach",
      summary: "Count the members, machines, projects and tools that get a version",
      params: SkillParams,
      query: ReachQuery,
      data: SkillReachPayload,
      handle: ({ actor, params, query }) => readReach(app, actor, params.skill, query.version),
    }),
    route({
      method: "get",
      path: "/api/skills/:skill/reach/installs",
      id: "listReachInstalls",
      summary: "List which members get a version, and by which pin",
      params: SkillParams,
      query: ReachQuery.extend({
        class: z.enum(pinClasses).optional().meta({ description: "only installs with pins of this kind" }),
        ...listQuery,
      }),
      data: ReachedInstallPayload,
      page: true,
      handle: ({ actor, params, query }) => listReached(app, actor, params.skill, query),
    }),
  ];
}
