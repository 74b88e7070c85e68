/**
 * Skills. A skill document is the commit point of its versions: one compare-and-set on `head.version` makes a
 * version exist, and carries its row and its audit event (`pending`, `outbox`) until both are projected.
 */
import type { Filter, IndexDescription } from "mongodb";
import { limits } from "../contract/limits.ts";
import type { SkillType, Visibility } from "../contract/vocabulary.ts";
import type { Database } from "./database.ts";
import { listUnsettled, outboxUpdate, type EventRow, type WithOutbox } from "./outbox.ts";
import type { VersionDoc } from "./versions.ts";

/** What a skill document repeats of a version, so that reads of the current one need no second look-up. */
export type VersionSummary = Pick<
  VersionDoc,
  "version" | "semver" | "oid" | "digest" | "hash" | "frontmatterHash" | "format" | "fileCount" | "totalBytes"
> & { versionId: string };

export interface SkillDoc extends WithOutbox {
  _id: string;
  tenantId: string;
  tenantSlug: string;
  publicId: string;
  slug: string;
  name: string;
  /** Case-folded name, for look-ups by name and by prefix. */
  nameKey: string;
  description: string;
  type: SkillType;
  visibility: Visibility;
  tags: string[];
  folderId: string | null;
  /** The restricted folder that governs it. Derived, for lists; a direct read asks the tree. */
  governingFolderId: string | null;
  /** Whether the catalog shows it: public, unrestricted and not deleted. Derived, for its indexes. */
  listed: boolean;
  /** First characters of the text, for search. */
  excerpt: string;
  createdBy: string;
  author: { id: string; name: string; username: string } | null;
  createdAt: Date;
  updatedAt: Date;
  /** Counts every write that something is derived from, so that what was derived from an older state gives way. */
  revision: number;
  /** Newest version of all, prereleases included: the parent of the next commit. */
  head: { version: number; oid: string };
  /** Highest semver ever published, prereleases included. */
  highestSemver: string;
  /** What installs resolve to. */
  current: VersionSummary;
  downloads: number;
  /** The number of the last counting that is in `downloads`. */
  downloadsThrough?: number;
  /** Versions that exist but are not in `versions` yet. */
  pending: VersionDoc[];
  /** Set while its organization waits to be erased: nobody sees it, and `listed` is false. */
  suspended?: true;
  /** Set when the skill was deleted; the rest is erased by a job. */
  deletedAt?: Date;
}

export const skillIndexes: IndexDescription[] = [
  { key: { tenantId: 1, slug: 1 }, unique: true, name: "skill_slug" },
  { key: { tenantId: 1, publicId: 1 }, unique: true, name: "skill_public_id" },
  { key: { publicId: 1 } },
  { key: { slug: 1, listed: 1 } },
  { key: { tenantId: 1, _id: 1 } },
  { key: { tenantId: 1, nameKey: 1, folderId: 1 } },
  { key: { tenantId: 1, updatedAt: -1, _id: -1 } },
  { key: { tenantId: 1, governingFolderId: 1, updatedAt: -1, _id: -1 } },
  { key: { tenantId: 1, folderId: 1, updatedAt: -1, _id: -1 } },
  // For sums by folder (`skill-figures.ts`).
  { key: { tenantId: 1, folderId: 1, downloads: 1 } },
  { key: { listed: 1, updatedAt: -1, _id: -1 } },
  { key: { listed: 1, createdAt: -1, _id: -1 } },
  { key: { listed: 1, downloads: -1, _id: -1 } },
  { key: { listed: 1, tags: 1, updatedAt: -1, _id: -1 } },
  { key: { tenantId: 1, tags: 1, updatedAt: -1, _id: -1 } },
  { key: { unsettledAt: 1 }, sparse: true },
  { key: { deletedAt: 1 }, sparse: true },
];

/** A skill as it is settled. */
export type SkillToSettle = Pick<
  SkillDoc,
  | "_id"
  | "tenantId"
  | "pending"
  | "outbox"
  | "deletedAt"
  | "revision"
  | "visibility"
  | "folderId"
  | "governingFolderId"
  | "listed"
>;

/** What an appended version changes on its skill beyond the version itself. */
export type AppendedFields = Partial<
  Pick<SkillDoc, "description" | "tags" | "excerpt" | "current" | "updatedAt">
>;

/** Characters that a slug's number may take, its hyphen included. */
const numberedSuffix = 6;

export type Skills = ReturnType<typeof openSkills>;

export function openSkills(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const alive: Filter<SkillDoc> = { deletedAt: { $exists: false } };
  const inSight: Filter<SkillDoc> = { ...alive, suspended: { $exists: false } };
  return {
    /** For search plans, which build their own filters (`skills-search.ts`). */
    collection: skills,

    /** Throws a duplicate error of index `skill_slug` or `skill_public_id`. */
    async insert(skill: SkillDoc): Promise<void> {
      await skills.insertOne(skill);
    },
    find: (id: string) => skills.findOne({ _id: id, ...inSight }),
    listByIds: (ids: string[]) => skills.find({ _id: { $in: ids }, ...alive }).toArray(),
    findByPublicId: (publicId: string) => skills.findOne({ publicId, ...inSight }),
    findBySlug: (tenantId: string, slug: string) => skills.findOne({ tenantId, slug, ...inSight }),
    /** Skills with this slug, for bare references: at most one in each of some organizations. */
    listBySlugIn: (tenantIds: string[], slug: string) =>
      skills.find({ tenantId: { $in: tenantIds }, slug, ...alive }).toArray(),
    /** The same in the catalog. */
    listBySlugInCatalog: (slug: string, limit: number) =>
      skills.find({ slug, listed: true }).limit(limit).toArray(),
    /** Skills of a name, in some folders or in all. */
    listByName: (tenantId: string, nameKey: string, limit: number, folderId?: Filter<SkillDoc>["folderId"]) =>
      skills
        .find({ tenantId, nameKey, ...(folderId === undefined ? {} : { folderId }), ...alive })
        .limit(limit)
        .toArray(),
    /** Slugs equal to a base or to the base with a number; a long base is cut to make room for it. */
    async listSlugsLike(tenantId: string, base: string): Promise<string[]> {
      const stem = base.slice(0, limits.skillSlug - numberedSuffix);
      const pattern = stem === base ? `^${base}(-\\d+)?$` : `^${stem}`;
      const rows = await skills
        .find({ tenantId, slug: { $regex: pattern } }, { projection: { slug: 1 } })
        .toArray();
      return rows.map((row) => row.slug);
    },

    /**
     * Appends a version: the compare-and-set that makes it exist. Undefined when the skill is gone or has moved
     * on from `expectedHead`; nothing is changed then.
     */
    async append(
      id: string,
      expectedHead: number,
      version: VersionDoc,
      change: { fields: AppendedFields; highestSemver: string; events: EventRow[] },
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(change.events);
      return skills.findOneAndUpdate(
        { _id: id, "head.version": expectedHead, ...alive },
        {
          $set: {
            ...change.fields,
            head: { version: version.version, oid: version.oid },
            highestSemver: change.highestSemver,
            ...outbox.$set,
          },
          $push: { pending: version, ...outbox.$push },
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
      );
    },
    /** Whether a version was appended after all: asked after an answer that got lost. */
    async holdsVersion(id: string, version: number, versionId: string): Promise<boolean> {
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

    /** Moves the current version, unless a publish or another revert came between. */
    async moveCurrent(
      id: string,
      expected: number,
      current: VersionSummary,
      excerpt: string,
      now: Date,
      events: EventRow[],
    ) {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, "current.version": expected, ...alive },
        {
          $set: { current, excerpt, updatedAt: now, ...outbox.$set },
          $push: outbox.$push,
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
      );
    },

    async update(
      id: string,
      fields: Partial<Pick<SkillDoc, "name" | "nameKey" | "description" | "visibility" | "listed" | "tags">>,
      now: Date,
      events: EventRow[],
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, ...inSight },
        { $set: { ...fields, updatedAt: now, ...outbox.$set }, $push: outbox.$push, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    },

    /** Puts a skill into another folder, unless somebody else has moved it from `expected` meanwhile. */
    async move(
      id: string,
      expected: string | null,
      place: Pick<SkillDoc, "folderId" | "governingFolderId" | "listed">,
      now: Date,
      events: EventRow[],
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, folderId: expected, ...inSight },
        { $set: { ...place, updatedAt: now, ...outbox.$set }, $push: outbox.$push, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    },
    /** Marks a skill deleted: from this write on nobody sees it, and its slug is free. */
    async markDeleted(id: string, now: Date, events: EventRow[]): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, ...alive },
        {
          $set: { deletedAt: now, listed: false, slug: `${id}.deleted`, ...outbox.$set },
          $push: outbox.$push,
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
      );
    },
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

    listUnsettled: (before: Date, limit: number) => listUnsettled(skills, before, limit),
    /** What settling needs of some skills, deleted ones included. */
    listToSettle: (ids: string[]) =>
      skills
        .find(
          { _id: { $in: ids } },
          {
            projection: {
              tenantId: 1,
              pending: 1,
              outbox: 1,
              deletedAt: 1,
              revision: 1,
              visibility: 1,
              folderId: 1,
              governingFolderId: 1,
              listed: 1,
            },
          },
        )
        .toArray() as Promise<SkillToSettle[]>,
    /** What the search index is made of. */
    listToIndex: (ids: string[]) =>
      skills.find({ _id: { $in: ids } }, { projection: { pending: 0, outbox: 0 } }).toArray(),
    /** The commits that refs are derived from; undefined for a skill that is gone. */
    async findOids(id: string): Promise<{ current: string; head: string } | undefined> {
      const skill = await skills.findOne(
        { _id: id, ...alive },
        { projection: { "current.oid": 1, "head.oid": 1 } },
      );
      return skill ? { current: skill.current.oid, head: skill.head.oid } : undefined;
    },
    /** Takes projected versions and carried events off the documents. What was added meanwhile stays. */
    async settle(settled: SkillToSettle[]): Promise<void> {
      const carried = settled.filter((skill) => skill.pending.length + (skill.outbox?.length ?? 0) > 0);
      if (carried.length === 0) return;
      await skills.bulkWrite(
        carried.map(({ _id, pending, outbox }) => ({
          updateOne: {
            filter: { _id },
            update: {
              $pull: {
                pending: { _id: { $in: pending.map((row) => row._id) } },
                outbox: { _id: { $in: (outbox ?? []).map((row) => row._id) } },
              },
            },
          },
        })),
        { ordered: false },
      );
    },
    /** Marks skills settled that carry nothing more and have not moved on. */
    async finishSettling(settled: SkillToSettle[]): Promise<void> {
      if (settled.length === 0) return;
      await skills.bulkWrite(
        settled.map(({ _id, revision }) => ({
          updateOne: {
            filter: { _id, revision, pending: { $size: 0 }, outbox: { $size: 0 } },
            update: { $unset: { unsettledAt: true } },
          },
        })),
        { ordered: false },
      );
    },
    /** Adds downloads to those skills that have not taken this number yet (`download-counts.ts`). */
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
    /** Downloads of those of some skills that are there and not deleted. */
    listDownloads: (ids: string[]): Promise<Pick<SkillDoc, "_id" | "downloads">[]> =>
      skills.find({ _id: { $in: ids }, ...alive }, { projection: { downloads: 1 } }).toArray(),
    /** Every id, for the verify command and the reconcile job. */
    async *eachId(): AsyncGenerator<string> {
      for await (const row of skills.find({}, { projection: { _id: 1 } })) yield row._id;
    },
  };
}
