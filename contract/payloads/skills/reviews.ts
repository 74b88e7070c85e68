/** Review rules, and versions that wait for a review. */
import { z } from "zod";
import { timestamp } from "../timestamp.ts";
import { SkillPayload, VersionPayload } from "./skills.ts";

const team = z.object({ id: z.string(), name: z.string() });

export const ReviewRulePayload = z
  .object({
    folderId: z.string().nullable().meta({ description: "null is the organization's root" }),
    path: z.string(),
    approvals: z.number().int().min(1).max(3).meta({ description: "approvals that a new version needs" }),
    teams: z.array(team).optional().meta({ description: "teams whose members review; default: all" }),
  })
  .meta({ id: "ReviewRule" });
export type ReviewRulePayload = z.infer<typeof ReviewRulePayload>;

export const ReviewEntryPayload = z
  .object({
    id: z.string(),
    kind: z.enum(["approved", "rejected", "overridden", "comment"]),
    by: z.object({ id: z.string(), username: z.string() }),
    text: z.string().optional(),
    path: z.string().optional().meta({ description: "file that a comment is about" }),
    line: z.number().int().optional().meta({ description: "line of the file, from 1" }),
    at: timestamp,
  })
  .meta({ id: "ReviewEntry" });
export type ReviewEntryPayload = z.infer<typeof ReviewEntryPayload>;

export const WaitingReviewPayload = z
  .object({
    skill: SkillPayload,
    version: VersionPayload,
    approvals: z.number().int().meta({ description: "approvals that it has" }),
    needed: z.number().int().meta({ description: "approvals that it needs" }),
    mayDecide: z.boolean().meta({ description: "whether you may approve or reject it" }),
    refusal: z.string().optional().meta({ description: "why you can't decide, as a sentence" }),
  })
  .meta({ id: "WaitingReview" });
export type WaitingReviewPayload = z.infer<typeof WaitingReviewPayload>;

export const ReviewPayload = WaitingReviewPayload.extend({
  follows: VersionPayload.nullable().meta({
    description:
      "version to compare it with: the current one, or the one before it; null for a first version",
  }),
  teams: z.array(team).optional().meta({ description: "teams whose members review it; default: all" }),
  readers: z.number().int().meta({ description: "members who would get the version" }),
  entries: z.array(ReviewEntryPayload).meta({ description: "decisions and comments, the oldest first" }),
}).meta({ id: "Review" });
export type ReviewPayload = z.infer<typeof ReviewPayload>;
