import { FoundByPhrases, FoundByPosition } from "../../../../contract/payloads/discovery/found-by.ts";
import type { App } from "../../../app.ts";
import { routesOf, type Route } from "../../../http/route.ts";
import { SkillParams } from "../../schema.ts";
import { PositionQuery } from "../schema.ts";
import { findPhrases, findPosition } from "./found-by.ts";

const route = routesOf({ method: "get", tag: "Skills", auth: "required", budget: "found-by" });

export function foundByRoutes(app: App): Route[] {
  return [
    route({
      path: "/api/skills/:skill/found-by",
      id: "getFoundBy",
      failures: ["refused"],
      summary: "For editors of a skill: phrases of its text that find it first",
      params: SkillParams,
      data: FoundByPhrases,
      handle: ({ actor, params }) => findPhrases(app, actor, params.skill),
    }),
    route({
      path: "/api/skills/:skill/found-by/position",
      id: "getFoundByPosition",
      failures: ["refused"],
      summary: "For editors of a skill: its place among the skills that a phrase finds, and those before it",
      params: SkillParams,
      query: PositionQuery,
      data: FoundByPosition,
      handle: ({ actor, params, query }) => findPosition(app, actor, params.skill, query.query),
    }),
  ];
}
