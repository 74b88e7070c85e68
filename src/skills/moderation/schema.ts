/** Input of reports and takedowns. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { reportReasons, reportStates } from "../../../contract/vocabulary.ts";
import { listQuery } from "../../http/request/cursor.ts";

/** Text that a person reads in a page or a mail: line feeds and tabs, and no other control characters. */
const writtenText = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .transform((text) => text.replace(/\r\n?/g, "\n"))
    .refine((text) => !/[^\P{Cc}\n\t]|\p{Surrogate}/u.test(text), "must not contain control characters");

export const ReportSkill = z.strictObject({
  reason: z.enum(reportReasons),
  text: writtenText(limits.reportText)
    .default("")
    .meta({ description: "the problem with the skill, in your own words" }),
});
export type ReportSkill = z.output<typeof ReportSkill>;

export const ReportsQuery = z.object({ state: z.enum(reportStates).default("open"), ...listQuery });
export type ReportsQuery = z.output<typeof ReportsQuery>;

export const ReportParams = z.object({ report: z.string().max(64) });

export const CloseReport = z.strictObject({
  state: z.enum(["resolved", "dismissed"]),
  note: writtenText(limits.takedownReason).optional(),
});
export type CloseReport = z.output<typeof CloseReport>;

export const TakedownParams = z.object({
  skill: z.string().max(64).meta({ description: "publicId" }),
});

export const TakedownReason = z.strictObject({
  reason: writtenText(limits.takedownReason)
    .refine((text) => text !== "", "must not be empty")
    .meta({ description: "sent to the author and the owners of the organization, and shown to members" }),
});
