/** Routes of an organization's review rules. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { ReviewRulePayload } from "../../../contract/payloads/skills/reviews.ts";
import type { App } from "../../app.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { listReviewRules, setReviewRule } from "./rules.ts";

const route = routesOf({ tag: "Reviews", auth: "required" });

const ReviewRule = z.strictObject({
  approvals: z
    .number()
    .int()
    .min(1)
    .max(3)
    .default(1)
    .meta({ description: "approvals that a version needs" }),
  teamIds: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(20)
    .optional()
    .meta({ description: "teams whose members review; default: everyone with skill: review" }),
});

const RuleParams = TenantParams.extend({
  folder: z.string().min(1).max(64).meta({ description: "id of a folder, or `root`" }),
});

const data = z
  .array(ReviewRulePayload)
  .max(limits.reviewRules)
  .meta({ description: "all rules of the folders that you see" });

export function reviewRuleRoutes(app: App): Route[] {
  const path = "/api/tenants/:tenant/review-rules";
  return [
    route({
      method: "get",
      path,
      id: "listReviewRules",
      summary: "List the folders in which new versions wait for a review",
      params: TenantParams,
      data,
      handle: ({ actor, params }) => listReviewRules(app, actor, params.tenant),
    }),
    route({
      method: "put",
      path: `${path}/:folder`,
      id: "setReviewRule",
      failures: ["limit_reached"],
      summary: "Let new versions in a folder wait for approvals",
      params: RuleParams,
      body: ReviewRule,
      data,
      handle: ({ actor, params, body }) => setReviewRule(app, actor, params.tenant, params.folder, body),
    }),
    route({
      method: "delete",
      path: `${path}/:folder`,
      id: "removeReviewRule",
      summary: "Let new versions in a folder be released at once again",
      params: RuleParams,
      data,
      handle: ({ actor, params }) => setReviewRule(app, actor, params.tenant, params.folder, null),
    }),
  ];
}
