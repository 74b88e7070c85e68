/** Follows of skills and folders, and the changes that a person is shown. */
import { z } from "zod";
import { followedKinds, followMails, followReasons, followTargets } from "../../events/following.ts";
import { timestamp } from "../timestamp.ts";

export const FollowPayload = z
  .object({
    id: z.string(),
    kind: z.enum(followTargets),
    targetId: z.string().meta({ description: "id of the skill or folder" }),
    tenantSlug: z.string(),
    path: z.string().meta({ description: "slug of the skill, or path of the folder" }),
    name: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: "Follow" });
export type FollowPayload = z.infer<typeof FollowPayload>;

export const FollowedChangePayload = z
  .object({
    id: z.string(),
    kind: z.enum(followedKinds),
    reason: z.enum(followReasons).meta({ description: "why you are shown it: the strongest reason" }),
    skill: z.object({ id: z.string(), tenantSlug: z.string(), slug: z.string(), name: z.string() }),
    semver: z.string(),
    findings: z.number().int().optional().meta({ description: "new findings of the version" }),
    message: z.string().optional().meta({ description: "of the version or its deprecation" }),
    by: z.string().meta({ description: "name of the member, token or service that made the change" }),
    at: timestamp,
  })
  .meta({ id: "FollowedChange" });
export type FollowedChangePayload = z.infer<typeof FollowedChangePayload>;

export const FollowMailPayload = z
  .object({
    mail: z.enum(followMails).meta({ description: "`daily`: once a day; `instant`: within minutes" }),
    reviews: z.boolean().meta({
      description: "whether you get mails, within minutes, about versions that wait for your review",
    }),
  })
  .meta({ id: "FollowMail" });
export type FollowMailPayload = z.infer<typeof FollowMailPayload>;

/** A choice; a field that is left out stays as it is. */
export const FollowMailChoice = FollowMailPayload.partial().meta({ id: "FollowMailChoice" });
export type FollowMailChoice = z.infer<typeof FollowMailChoice>;
