/**
 * Skills. A skill document is the commit point of its versions: one compare-and-set on `head.version` makes a
 * version exist, and contains its row and its audit event (`pending`, `outbox`) until both are projected.
 */
import type { Collection, Filter } from "mongodb";
import { limits } from "../../contract/limits.ts";
import { batchedInsert } from "../batches/batched-insert.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs, type Database } from "../database.ts";
import { listIds } from "../ids.ts";
import { batchedLookup } from "../lookups/batched-lookup.ts";
import type { VersionDoc } from "../versions/versions.ts";
import { catalogOperations } from "./catalog.ts";
import { changeOperations } from "./changes.ts";
import { notDeleted, visible, type SkillDoc } from "./document.ts";
import { projectionOperations } from "./projection.ts";

export type { AppendedFields } from "./changes.ts";
export {
  type Channel,
  type FindingReview,
  type SkillDoc,
  type Takedown,
  type TakedownFollowUp,
  type VersionChoice,
  type VersionMark,
  type VersionSummary,
} from "./document.ts";
export type { SkillToIndex, SkillToProject } from "./projection.ts";
/** Maximum number of skills of one name that are considered. */
export const sameNameLimit = 50;
/** Maximum length of a slug's number with its hyphen. */
const numberedSuffix = 6;

export const skillsCollection = defineCollection({
  name: "skills",
  indexes: [
    { key: { tenantId: 1, slug: 1 }, unique: true, name: "skill_slug" },
    { key: { tenantId: 1, publicId: 1 }, unique: true, name: "skill_public_id" },
    { key: { publicId: 1 } },
    { key: { slug: 1, listed: 1, createdAt: 1, _id: 1 } },
    { key: { tenantId: 1, _id: 1 } },
    { key: { tenantId: 1, nameKey: 1, folderId: 1 } },
    { key: { tenantId: 1, updatedAt: -1, _id: -1 } },
    { key: { tenantId: 1, createdAt: -1, _id: -1 } },
    { key: { tenantId: 1, downloads: -1, _id: -1 } },
    { key: { tenantId: 1, effectiveRestrictionId: 1, updatedAt: -1, _id: -1 } },
    { key: { tenantId: 1, folderId: 1, updatedAt: -1, _id: -1 } },
    // Sums of storage (`tenant-skills.ts`).
    { key: { tenantId: 1, storedBytes: 1 } },
    // Sums by folder (`figures.ts`).
    { key: { tenantId: 1, folderId: 1, downloads: 1 } },
    { key: { listed: 1, updatedAt: -1, _id: -1 } },
    { key: { listed: 1, createdAt: -1, _id: -1 } },
    { key: { listed: 1, downloads: -1, _id: -1 } },
    { key: { listed: 1, tags: 1, updatedAt: -1, _id: -1 } },
    // Only public skills, so that the time to list an organization's does not depend on its other skills.
    {
      key: { tenantId: 1, listed: 1, updatedAt: -1, _id: -1 },
      name: "skill_public_of_tenant",
      partialFilterExpression: { listed: true },
    },
    {
      key: { tenantId: 1, listed: 1, downloads: -1, _id: -1 },
      name: "skill_downloads_of_tenant",
      partialFilterExpression: { listed: true },
    },
    { key: { tenantId: 1, tags: 1, updatedAt: -1, _id: -1 } },
    {
      key: { requiredServerIds: 1, tenantId: 1, updatedAt: -1, _id: -1 },
      name: "skill_required_server",
      partialFilterExpression: { requiredServerIds: { $exists: true } },
    },
    {
      key: { ownerTeamId: 1, tenantId: 1, updatedAt: -1, _id: -1 },
      name: "skill_owner_team",
      partialFilterExpression: { ownerTeamId: { $exists: true } },
    },
    {
      key: { tenantId: 1, updatedAt: -1, _id: -1 },
      name: "skill_with_errors",
      partialFilterExpression: { "current.findings.errors": { $gt: 0 } },
    },
    {
      key: { tenantId: 1, waitingSince: 1, _id: 1 },
      name: "skill_waiting",
      partialFilterExpression: { waitingSince: { $exists: true } },
    },
    {
      key: { "marks.verdict": 1, waitingSince: 1, _id: 1 },
      name: "skill_held",
      partialFilterExpression: { waitingSince: { $exists: true } },
    },
    { key: { pendingSince: 1 }, sparse: true },
    { key: { deletedAt: 1 }, sparse: true },
    {
      key: { "takedown.at": -1, _id: -1 },
      name: "skill_takedown",
      partialFilterExpression: { "takedown.at": { $exists: true } },
    },
    { key: { "takedownFollowUp.since": 1 }, sparse: true },
  ],
  open: openSkills,
});

/** The last skill of a page by the time since which a version waits. */
interface WaitingAfter {
  at: Date;
  id: string;
}

function openSkills(skills: Collection<SkillDoc>, database: Database) {
  const listWaiting = (
    filter: Filter<SkillDoc>,
    after: WaitingAfter | undefined,
    limit: number,
  ): Promise<SkillDoc[]> =>
    skills
      .find(
        {
          ...filter,
          waitingSince: { $exists: true, ...(after && { $gte: after.at }) },
          ...(after && { $or: [{ waitingSince: { $gt: after.at } }, { _id: { $gt: after.id } }] }),
          ...visible,
        },
        { maxTimeMS: commandTimeMs },
      )
      .sort({ waitingSince: 1, _id: 1 })
      .limit(limit)
      .toArray();
  const listNamed = (tenantId: string, nameKey: string, folderId?: Filter<SkillDoc>["folderId"]) =>
    skills
      .find({ tenantId, nameKey, folderId, ...notDeleted })
      .limit(sameNameLimit)
      .toArray();
  const findNamed = batchedLookup<SkillDoc[]>(async (keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as [tenantId: string, nameKey: string]);
    const filters = wanted.map(([tenantId, nameKey]) => ({ tenantId, nameKey }));
    const found =
      filters.length === 1
        ? []
        : await skills
            .find({ $or: filters, ...notDeleted })
            .limit(sameNameLimit)
            .toArray();
    // A name that many skills have would displace those of other names.
    const isComplete = filters.length > 1 && found.length < sameNameLimit;
    const lists = await Promise.all(
      wanted.map(async ([tenantId, nameKey]) =>
        isComplete
          ? found.filter((skill) => skill.tenantId === tenantId && skill.nameKey === nameKey)
          : listNamed(tenantId, nameKey),
      ),
    );
    return new Map(keys.map((key, at) => [key, lists[at]!]));
  });
  return {
    /** Throws a duplicate error of index `skill_slug` or `skill_public_id`. */
    insert: batchedInsert(skills),
    find: (id: string) => skills.findOne({ _id: id, ...visible }),
    listByIds: (ids: string[]) => skills.find({ _id: { $in: ids }, ...notDeleted }).toArray(),
    /** Slugs and folders, also of skills that were deleted and are not erased yet. */
    listNames: (ids: string[]): Promise<Pick<SkillDoc, "_id" | "slug" | "folderId" | "withheld">[]> =>
      skills.find({ _id: { $in: ids } }, { projection: { slug: 1, folderId: 1, withheld: 1 } }).toArray(),
    /** Whether the catalog has a skill. */
    hasPublic: async () => (await skills.findOne({ listed: true }, { projection: { _id: 1 } })) !== null,
    findByPublicId: (publicId: string) => skills.findOne({ publicId, ...visible }),
    findBySlug: (tenantId: string, slug: string) => skills.findOne({ tenantId, slug, ...visible }),
    /** Skills of an organization that ids or slugs name, in no order. */
    listByRefs: (tenantId: string, refs: string[]) =>
      skills
        .find(
          { tenantId, $or: [{ _id: { $in: refs } }, { slug: { $in: refs } }], ...notDeleted },
          { projection: { tenantId: 1, slug: 1, folderId: 1, visibility: 1, takedown: 1, withheld: 1 } },
        )
        .toArray() as Promise<
        Pick<SkillDoc, "_id" | "tenantId" | "slug" | "folderId" | "visibility" | "takedown" | "withheld">[]
      >,
    /** Skills whose current version has findings that are errors, latest first. */
    listWithErrors: (tenantIds: readonly string[], limit: number) =>
      skills
        .find({ tenantId: { $in: [...tenantIds] }, "current.findings.errors": { $gt: 0 }, ...visible })
        .sort({ updatedAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    /** Skills with a version that waits for a review, the longest wait first. */
    listWaiting: (tenantIds: readonly string[], after: WaitingAfter | undefined, limit: number) =>
      listWaiting({ tenantId: { $in: [...tenantIds] } }, after, limit),
    /** The same for a malicious version of a skill that others than members can read. */
    listHeldByService: (after: WaitingAfter | undefined, limit: number) =>
      listWaiting(
        {
          visibility: { $ne: "private" },
          takedown: { $exists: false },
          marks: { $elemMatch: { held: "scan", verdict: "malicious" } },
        },
        after,
        limit,
      ),
    /** Skills with a slug in the catalog, oldest first, except those of the given organizations. */
    listBySlugInCatalog: (slug: string, except: readonly string[], limit: number) =>
      skills
        .find({ slug, listed: true, tenantId: { $nin: [...except] } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    /** Skills with a name in the matching folders, at most `sameNameLimit`. */
    listByNameIn: listNamed,
    /** The same in all folders. Concurrent calls share a query. */
    listByName: async (tenantId: string, nameKey: string): Promise<SkillDoc[]> =>
      (await findNamed(JSON.stringify([tenantId, nameKey])))!,
    /**
     * Taken and reserved slugs equal to a base or to the base with a number; a long base is shortened to make room for
     * it. An import gets the slugs of deleted skills, which its repository had before.
     */
    async listSlugsLike(
      tenantId: string,
      base: string,
      { isImport = false }: { isImport?: boolean } = {},
    ): Promise<string[]> {
      const stem = base.slice(0, limits.skillSlug - numberedSuffix);
      const pattern = stem === base ? `^${base}(-\\d+)?$` : `^${stem}`;
      const slug = { $regex: pattern };
      const reservation = isImport ? { reason: "renamed" } : {};
      const rows = await database.aggregate<{ slug: string }>("skills", [
        { $match: { tenantId, slug } },
        { $project: { slug: 1 } },
        {
          $unionWith: {
            coll: "slug_reservations",
            pipeline: [
              { $match: { tenantId, slug, active: true, ...reservation } },
              { $project: { slug: 1 } },
            ],
          },
        },
      ]);
      return rows.map((row) => row.slug);
    },
    /** Whether a version was appended, for a caller that lost the response to `append`. */
    async hasVersion(id: string, version: number, versionId: string): Promise<boolean> {
      const skill = await skills.findOne(
        { _id: id, "head.version": { $gte: version } },
        { projection: { pending: 1 } },
      );
      if (!skill) return false;
      if (skill.pending.some((row) => row._id === versionId)) return true;
      return (
        (await database.collection<VersionDoc>("versions").findOne({ skillId: id, version }))?._id ===
        versionId
      );
    },
    findDeleted: (id: string) => skills.findOne({ _id: id, deletedAt: { $exists: true } }),
    listDeleted: (limit: number) =>
      skills
        .find({ deletedAt: { $exists: true } })
        .limit(limit)
        .toArray(),
    async remove(id: string): Promise<void> {
      await skills.deleteOne({ _id: id });
    },
    /** Whether a document of this id exists, deleted or not. */
    async exists(id: string): Promise<boolean> {
      return (await skills.findOne({ _id: id }, { projection: { _id: 1 } })) !== null;
    },
    /** A slice of all skills in order of their ids, with what reconciliations and repacks read. */
    listAfter: (id: string | undefined, limit: number) =>
      skills
        .find(id === undefined ? {} : { _id: { $gt: id } }, {
          projection: {
            tenantId: 1,
            updatedAt: 1,
            head: 1,
            storedBytes: 1,
            current: 1,
            channels: 1,
            marks: 1,
            deletedAt: 1,
          },
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray() as Promise<
        Pick<
          SkillDoc,
          | "_id"
          | "tenantId"
          | "updatedAt"
          | "head"
          | "storedBytes"
          | "current"
          | "channels"
          | "marks"
          | "deletedAt"
        >[]
      >,
    /** Notes the measured size of a repository, unless a version was added since the skill was read. */
    async noteStoredBytes({ _id, head }: Pick<SkillDoc, "_id" | "head">, storedBytes: number): Promise<void> {
      await skills.updateOne({ _id, "head.version": head.version }, { $set: { storedBytes } });
    },
    /** Number of skills, which may differ by some after a crash of the engine. */
    estimateCount: () => skills.estimatedDocumentCount(),
    /** Those of the ids that a document has, deleted or not. */
    listExisting: async (ids: string[]): Promise<Set<string>> =>
      new Set(await listIds(skills, { _id: { $in: ids } })),
    ...catalogOperations(skills),
    ...changeOperations(skills),
    ...projectionOperations(skills),
    /** Adds a batch of downloads to the skills that do not include it yet (`download-counts.ts`). */
    async addDownloads(number: number, counts: ReadonlyMap<string, number>): Promise<void> {
      if (counts.size === 0) return;
      await skills.bulkWrite(
        [...counts].map(([skillId, count]) => ({
          updateOne: {
            filter: { _id: skillId, downloadsThrough: { $not: { $gte: number } } },
            update: { $inc: { downloads: count }, $set: { downloadsThrough: number } },
          },
        })),
        { ordered: false },
      );
    },
    /** Download counts of the given skills, without deleted ones. */
    listDownloads: (ids: string[]): Promise<Pick<SkillDoc, "_id" | "downloads">[]> =>
      skills.find({ _id: { $in: ids }, ...notDeleted }, { projection: { downloads: 1 } }).toArray(),
    /** Every id, for the verify command. */
    async *eachId(): AsyncGenerator<string> {
      for await (const row of skills.find({}, { projection: { _id: 1 } })) yield row._id;
    },
  };
}
