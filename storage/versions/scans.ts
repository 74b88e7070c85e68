/** Scans of versions for hidden and harmful content: results, and what is due. */
import type { Collection } from "mongodb";
import { flaggedVerdicts, type FlaggedVerdict } from "../../contract/scan/policy.ts";
import type { ScanReport } from "../../contract/scan/report.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { insertOnce } from "../outbox.ts";

/** New versions come before those that are scanned again. */
export const scanPriorities = { new: 0, again: 1 } as const;

export interface ScanRequest {
  tenantId: string;
  skillId: string;
  version: number;
}

/** Time in which a change is written. */
const writtenMs = 60_000;

const idOf = ({ skillId, version }: Pick<ScanRequest, "skillId" | "version">) => `${skillId}.${version}`;

export interface VersionScanDoc extends ScanRequest {
  /** Made of the skill and the version. */
  _id: string;
  /** Time of the next attempt; absent if there is none. */
  dueAt?: Date;
  priority: (typeof scanPriorities)[keyof typeof scanPriorities];
  /** Attempts since the scan was requested. */
  attempts: number;
  result?: ScanReport & { at: Date };
  /** The last decision to release the version against a verdict. */
  override?: ScanOverride;
  /** Reason for the failure of the last attempt, as a sentence. */
  failure?: string;
  /** Version of the rules at that time. */
  failedRuleSet?: string;
}

export interface ScanOverride {
  verdict: FlaggedVerdict;
  reason: string;
  by: { id: string; username: string };
  byAdministrator: boolean;
  at: Date;
}

export const versionScansCollection = defineCollection({
  name: "version_scans",
  indexes: [
    { key: { skillId: 1 } },
    { key: { tenantId: 1 } },
    { key: { priority: 1, dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
  ],
  open: (scans: Collection<VersionScanDoc>) => ({
    /** Requests the first scans of versions; those of known versions stay unchanged. */
    request: (versions: ScanRequest[], now: Date) =>
      insertOnce(
        scans,
        versions.map((version) => ({
          ...version,
          _id: idOf(version),
          dueAt: now,
          priority: scanPriorities.new,
          attempts: 0,
        })),
      ),
    /** Requests scans of versions that were not scanned by these rules, unless a scan is due. */
    async requestAgain(versions: ScanRequest[], ruleSet: string, now: Date): Promise<void> {
      const rows = await scans
        .find(
          { _id: { $in: versions.map(idOf) } },
          { projection: { dueAt: 1, failedRuleSet: 1, "result.ruleSet": 1 }, maxTimeMS: commandTimeMs },
        )
        .toArray();
      const known = new Map(rows.map((row) => [row._id, row]));
      const again = { dueAt: now, priority: scanPriorities.again, attempts: 0 };
      await insertOnce(
        scans,
        versions
          .filter((version) => !known.has(idOf(version)))
          .map((version) => ({ ...version, _id: idOf(version), ...again })),
      );
      const outdated = rows.filter(
        ({ dueAt, failedRuleSet, result }) => !dueAt && (failedRuleSet ?? result?.ruleSet) !== ruleSet,
      );
      if (outdated.length === 0) return;
      await scans.updateMany(
        { _id: { $in: outdated.map(({ _id }) => _id) }, dueAt: { $exists: false } },
        { $set: again },
      );
    },
    /**
     * Requests new scans of the versions about which a policy decides, unless one is due earlier. Before the change of
     * a skill or policy is written, `delayed` requests them for the case that this process ends afterwards.
     */
    async requestFlagged(
      of: { skillId: string } | { tenantId: string },
      now: Date,
      when: "now" | "delayed",
    ): Promise<void> {
      const at = when === "now" ? now : new Date(now.getTime() + writtenMs);
      await scans.updateMany(
        {
          ...of,
          "result.verdict": { $in: [...flaggedVerdicts] },
          $or: [{ dueAt: { $exists: false } }, { dueAt: { $gt: at } }],
        },
        { $set: { dueAt: at, priority: scanPriorities.again, attempts: 0 } },
      );
    },
    /** Takes the next due scan, which is due again at `until` in case this process ends. */
    async claim(now: Date, until: Date): Promise<VersionScanDoc | null> {
      for (const priority of Object.values(scanPriorities)) {
        const claimed = await scans.findOneAndUpdate(
          { priority, dueAt: { $lte: now } },
          { $set: { dueAt: until }, $inc: { attempts: 1 } },
          { sort: { dueAt: 1 }, returnDocument: "after", maxTimeMS: commandTimeMs },
        );
        if (claimed) return claimed;
      }
      return null;
    },
    /** Stores a result. The scan stays claimed until `complete`. Null if the version was erased. */
    finish: (_id: string, result: VersionScanDoc["result"]): Promise<VersionScanDoc | null> =>
      scans.findOneAndUpdate(
        { _id },
        { $set: { result }, $unset: { failure: "", failedRuleSet: "" } },
        { returnDocument: "after", maxTimeMS: commandTimeMs },
      ),
    /** Ends a scan whose result is stored and applied, unless another was requested since it was claimed. */
    async complete({ _id, dueAt }: Pick<VersionScanDoc, "_id" | "dueAt">): Promise<void> {
      await scans.updateOne({ _id, dueAt }, { $unset: { dueAt: "" } });
    },
    /**
     * `dueAt`: time of the next attempt; undefined if it was the last one. `result`: what was found nevertheless. Null
     * if the version was erased.
     */
    fail(
      _id: string,
      attempt: Required<Pick<VersionScanDoc, "failure">> &
        Pick<VersionScanDoc, "result"> & { ruleSet: string },
      dueAt: Date | undefined,
    ): Promise<VersionScanDoc | null> {
      const { ruleSet: failedRuleSet, ...failed } = attempt;
      return scans.findOneAndUpdate(
        { _id },
        dueAt
          ? { $set: { ...failed, failedRuleSet, dueAt } }
          : { $set: { ...failed, failedRuleSet }, $unset: { dueAt: "" } },
        { returnDocument: "after", maxTimeMS: commandTimeMs },
      );
    },
    /** Gives a claimed scan back that was not attempted. */
    async release(_id: string, now: Date): Promise<void> {
      await scans.updateOne(
        { _id, dueAt: { $exists: true } },
        { $set: { dueAt: now }, $inc: { attempts: -1 } },
      );
    },
    /** Stores who released a version against its verdict; null if the scan has another verdict by now. */
    override: (
      { skillId, version }: Pick<ScanRequest, "skillId" | "version">,
      override: ScanOverride,
    ): Promise<VersionScanDoc | null> =>
      scans.findOneAndUpdate(
        { _id: idOf({ skillId, version }), "result.verdict": override.verdict },
        { $set: { override } },
        { returnDocument: "after", maxTimeMS: commandTimeMs },
      ),
    /** The scans of a skill about which a policy decides. */
    listFlagged: (skillId: string): Promise<VersionScanDoc[]> =>
      scans
        .find({ skillId, "result.verdict": { $in: [...flaggedVerdicts] } }, { maxTimeMS: commandTimeMs })
        .toArray(),
    find: (skillId: string, version: number): Promise<VersionScanDoc | null> =>
      scans.findOne({ _id: idOf({ skillId, version }) }, { maxTimeMS: commandTimeMs }),
    async remove(_id: string): Promise<void> {
      await scans.deleteOne({ _id });
    },
    async removeOfSkill(skillId: string): Promise<void> {
      await scans.deleteMany({ skillId });
    },
  }),
});
