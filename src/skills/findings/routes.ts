/** Findings about versions, and about content before it is published. */
import { FindingsPayload, LintPayload } from "../../../contract/payloads/skills/findings.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { SkillParams } from "../schema.ts";
import { lintContent } from "./lint-upload.ts";
import { listFindings, reviewFinding } from "./review.ts";
import { FindingParams, FindingsQuery, LintContent, ReviewFinding } from "./schema.ts";

const route = routesOf({ tag: "Skills", auth: "required" });

export function findingRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/skills/:skill/findings",
      id: "getFindings",
      summary: "List the findings about a version: advice, and for members secrets",
      auth: "optional",
      params: SkillParams,
      query: FindingsQuery,
      data: FindingsPayload,
      budget: "diff",
      handle: ({ actor, params, query }) => listFindings(app, actor, params.skill, query.version),
    }),
    route({
      method: "put",
      path: "/api/skills/:skill/findings/:finding",
      id: "reviewFinding",
      failures: ["conflict", "limit_reached"],
      summary: "Mark a finding as reviewed, or remove the mark",
      params: FindingParams,
      body: ReviewFinding,
      data: FindingsPayload,
      budget: "diff",
      handle: ({ actor, params, body }) => reviewFinding(app, actor, params.skill, params.finding, body),
    }),
    route({
      method: "post",
      path: "/api/lint",
      id: "lintSkill",
      failures: ["not_found"],
      summary: "Check a text or an upload by the rules for skills; stores nothing",
      body: LintContent,
      data: LintPayload,
      budget: "publish",
      handle: ({ actor, body }) => lintContent(app, actor, body),
    }),
  ];
}
