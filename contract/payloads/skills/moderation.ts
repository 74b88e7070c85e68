/** Reports about skills and takedowns, as they cross the wire. */
import { z } from "zod";
import { reportReasons, reportStates } from "../../vocabulary.ts";

/** Fields of a skill that were public: an administrator of the service sees no others. */
const skill = z.object({
  publicId: z.string(),
  slug: z.string(),
  tenantSlug: z.string(),
  name: z.string(),
});

export const ReportedPayload = z.object({ reported: z.literal(true) }).meta({ id: "Reported" });
export type ReportedPayload = z.infer<typeof ReportedPayload>;

export const ReportPayload = z
  .object({
    id: z.string(),
    skill,
    version: z.number().int().meta({ description: "the current one when it was reported" }),
    reason: z.enum(reportReasons),
    text: z.string(),
    reporter: z.enum(["account", "visitor"]),
    state: z.enum(reportStates),
    note: z.string().optional(),
    closedBy: z.string().optional().meta({ description: "user name of an administrator" }),
    closedAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "Report" });
export type ReportPayload = z.infer<typeof ReportPayload>;

export const TakedownPayload = z
  .object({ skill, reason: z.string(), by: z.string(), at: z.iso.datetime() })
  .meta({ id: "Takedown" });
export type TakedownPayload = z.infer<typeof TakedownPayload>;

export const HeldVersionPayload = z
  .object({
    skill,
    version: z.number().int(),
    semver: z.string(),
    since: z.iso.datetime().meta({ description: "since when a version of the skill waits" }),
  })
  .meta({ id: "HeldVersion" });
export type HeldVersionPayload = z.infer<typeof HeldVersionPayload>;
