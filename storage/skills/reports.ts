/** Reports about skills, one per reporter and version. */
import type { Collection, Filter } from "mongodb";
import type { ReportReason, ReportState } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { isDuplicate } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";

export interface SkillReportDoc {
  _id: string;
  skillId: string;
  tenantId: string;
  /** Names of the skill when it was reported. It may no longer be public. */
  publicId: string;
  tenantSlug: string;
  slug: string;
  name: string;
  /** Number of the version that was current. */
  version: number;
  reason: ReportReason;
  text: string;
  /** HMAC of the account's id, or of the network address. */
  reporter: string;
  reporterKind: "account" | "visitor";
  state: ReportState;
  closedBy?: { id: string; username: string };
  closedAt?: Date;
  note?: string;
  createdAt: Date;
}

export type ClosedReport = Pick<SkillReportDoc, "state" | "closedBy" | "closedAt" | "note">;

export const skillReportsCollection = defineCollection({
  name: "skill_reports",
  indexes: [
    { key: { skillId: 1, reporter: 1, version: 1 }, unique: true, name: "report_once" },
    { key: { skillId: 1, state: 1 } },
    { key: { state: 1, createdAt: -1, _id: -1 } },
    { key: { tenantId: 1 } },
    { key: { closedAt: 1 }, sparse: true },
  ],
  open: openSkillReports,
});

function openSkillReports(reports: Collection<SkillReportDoc>) {
  const open = { state: "open" } as const;
  return {
    /** Returns false if the reporter has already reported this version. */
    async insert(report: SkillReportDoc): Promise<boolean> {
      try {
        await reports.insertOne(report);
        return true;
      } catch (error) {
        if (!isDuplicate(error, "report_once")) throw error;
        return false;
      }
    },
    /** Number of open reports up to a limit, of one skill or of all. */
    countOpen: (limit: number, skillId?: string): Promise<number> =>
      reports.countDocuments(skillId === undefined ? open : { skillId, ...open }, { limit }),
    find: (id: string) => reports.findOne({ _id: id }),
    /** Reports in a state, latest first; `after` is the last of the previous page. */
    list(
      state: ReportState,
      after: { at: Date; id: string } | undefined,
      limit: number,
    ): Promise<SkillReportDoc[]> {
      const filter: Filter<SkillReportDoc> = { state };
      if (after)
        filter.$or = [{ createdAt: { $lt: after.at } }, { createdAt: after.at, _id: { $lt: after.id } }];
      return reports.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray();
    },
    /** Returns null if the report is no longer open. */
    close: (id: string, closed: ClosedReport) =>
      reports.findOneAndUpdate({ _id: id, ...open }, { $set: closed }, { returnDocument: "after" }),
    async closeOfSkill(skillId: string, closed: ClosedReport): Promise<void> {
      await reports.updateMany({ skillId, ...open }, { $set: closed });
    },
    removeBefore: (date: Date) => removeSlice(reports, { closedAt: { $lt: date } }),
    async removeOfSkill(skillId: string): Promise<void> {
      await reports.deleteMany({ skillId });
    },
  };
}
