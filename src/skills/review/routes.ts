/** Routes of versions that wait for a review. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  ReviewEntryPayload,
  ReviewPayload,
  WaitingReviewPayload,
} from "../../../contract/payloads/skills/reviews.ts";
import type { App } from "../../app.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { TenantParams } from "../../orgs/schema.ts";
import { VersionParams } from "../schema.ts";
import { decideVersion } from "./decide.ts";
import { addComment } from "./entries.ts";
import { listWaiting, loadCommented, readReview } from "./waiting.ts";

const route = routesOf({ tag: "Reviews", auth: "required" });

const comment = z.string().trim().min(1).max(limits.reviewComment);

const Decide = z
  .strictObject({
    decision: z.enum(["approve", "reject", "override"]).meta({
      description: "`reject` is final; `override` releases a version despite its scan",
    }),
    comment: comment.optional().meta({ description: "why; required unless it is approved" }),
  })
  .refine((input) => input.decision === "approve" || input.comment !== undefined, "needs a comment");

const AddComment = z
  .strictObject({
    text: comment.meta({ description: "the comment" }),
    path: z.string().min(1).max(1024).optional().meta({ description: "file that it is about" }),
    line: z
      .number()
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .meta({ description: "line of the file, from 1" }),
  })
  .refine((input) => input.line === undefined || input.path !== undefined, "has a line only with a path");

export function reviewRoutes(app: App): Route[] {
  const path = "/api/skills/:skill/versions/:version/review";
  return [
    route({
      method: "get",
      path: "/api/tenants/:tenant/reviews",
      id: "listReviews",
      summary: "List the versions that wait for a review",
      params: TenantParams,
      query: z.object(listQuery),
      data: WaitingReviewPayload,
      page: true,
      handle: ({ actor, params, query }) => listWaiting(app, actor, params.tenant, query),
    }),
    route({
      method: "get",
      path,
      id: "getReview",
      summary: "Read the review of a version: who gets it, decisions and comments",
      params: VersionParams,
      data: ReviewPayload,
      handle: ({ actor, params }) => readReview(app, actor, params.skill, params.version),
    }),
    route({
      method: "post",
      path,
      id: "decideReview",
      failures: ["conflict", "refused"],
      summary: "Decide about a version that waits for a review, or that its scan holds",
      params: VersionParams,
      body: Decide,
      data: ReviewPayload,
      async handle({ actor, params, body }) {
        await decideVersion(app, actor, params.skill, params.version, body);
        return readReview(app, actor, params.skill, params.version);
      },
    }),
    route({
      method: "post",
      path: `${path}/comments`,
      id: "commentReview",
      failures: ["limit_reached"],
      summary: "Comment on a version, or on a line of its files",
      params: VersionParams,
      body: AddComment,
      data: ReviewEntryPayload,
      status: 201,
      async handle({ actor, params, body }) {
        const { skill, version } = await loadCommented(app, actor, params.skill, params.version);
        return addComment(app, actor, skill, version, body);
      },
      authorizeRepeat: ({ actor, params }) => loadCommented(app, actor, params.skill, params.version),
    }),
  ];
}
