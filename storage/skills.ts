/**
 * Skills. A skill document is the commit point of its versions: one compare-and-set on `head.version` makes a
 * version exist, and carries its row and its audit event (`pending`, `outbox`) until both are projected.
 */
import type { Filter, IndexDescription } from "mongodb";
import { limits } from "../contract/limits.ts";
import type { SkillType, Visibility } from "../contract/vocabulary.ts";
import type { Database } from "./database.ts";
import { listUnflushed, outboxUpdate, type EventRow, type WithOutbox } from "./outbox.ts";
import type { VersionDoc } from "./versions.ts";

/** Fields of a version that the skill document repeats, so that reads of the current version need one query. */
export type VersionSummary = Pick<
  VersionDoc,
  "version" | "semver" | "oid" | "digest" | "hash" | "frontmatter" | "format" | "fileCount" | "totalBytes"
> & { versionId: string };

export interface Takedown {
  reason: string;
  at: Date;
  by: { id: string; username: string };
}

/** Pending follow-up of a takedown or its end; the reconcile job completes it after a crash. */
export interface TakedownFollowUp {
  kind: "taken-down" | "lifted";
  reason: string;
  since: Date;
}

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
  /** Restricted folder whose restriction is in effect. Derived, for lists; direct reads use the tree. */
  governingFolderId: string | null;
  /** Whether the catalog shows it: public, unrestricted, not taken down, not deleted. Derived, for its indexes. */
  listed: boolean;
  /** Beginning of the text, for search. */
  excerpt: string;
  createdBy: string;
  author: { id: string; name: string; username: string } | null;
  createdAt: Date;
  updatedAt: Date;
  /** Number of the write that changed the document; data derived from an older revision never overwrites newer data. */
  revision: number;
  /** Newest version, including prereleases: the parent of the next commit. */
  head: { version: number; oid: string };
  /** Highest release ever published; absent in documents of earlier versions of the service. */
  highestRelease?: string;
  /** Highest version, including prereleases; only in documents of earlier versions of the service. */
  highestSemver?: string;
  /** The version that installs resolve to. */
  current: VersionSummary;
  downloads: number;
  /** Number of the last batch that is included in `downloads`. */
  downloadsThrough?: number;
  /** Versions that exist but are not in the collection `versions` yet. */
  pending: VersionDoc[];
  /** Set while its organization waits to be erased: it is invisible, and `listed` is false. */
  suspended?: true;
  /** Set while the skill is taken down: only members of its organization see it. */
  takedown?: Takedown;
  takedownFollowUp?: TakedownFollowUp;
  /** Set when the skill was deleted; a job erases the rest. */
  deletedAt?: Date;
}

export const skillIndexes: IndexDescription[] = [
  { key: { tenantId: 1, slug: 1 }, unique: true, name: "skill_slug" },
  { key: { tenantId: 1, publicId: 1 }, unique: true, name: "skill_public_id" },
  { key: { publicId: 1 } },
  { key: { slug: 1, listed: 1, createdAt: 1, _id: 1 } },
  { key: { tenantId: 1, _id: 1 } },
  { key: { tenantId: 1, nameKey: 1, folderId: 1 } },
  { key: { tenantId: 1, updatedAt: -1, _id: -1 } },
  { key: { tenantId: 1, governingFolderId: 1, updatedAt: -1, _id: -1 } },
  { key: { tenantId: 1, folderId: 1, updatedAt: -1, _id: -1 } },
  // Sums by folder (`skill-figures.ts`).
  { key: { tenantId: 1, folderId: 1, downloads: 1 } },
  { key: { listed: 1, updatedAt: -1, _id: -1 } },
  { key: { listed: 1, createdAt: -1, _id: -1 } },
  { key: { listed: 1, downloads: -1, _id: -1 } },
  { key: { listed: 1, tags: 1, updatedAt: -1, _id: -1 } },
  { key: { tenantId: 1, tags: 1, updatedAt: -1, _id: -1 } },
  { key: { unsettledAt: 1 }, sparse: true },
  { key: { deletedAt: 1 }, sparse: true },
  {
    key: { "takedown.at": -1, _id: -1 },
    name: "skill_takedown",
    partialFilterExpression: { "takedown.at": { $exists: true } },
  },
  { key: { "takedownFollowUp.since": 1 }, sparse: true },
];

/** Fields of a skill that its projection reads. */
export type SkillToProject = Pick<
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
  | "takedown"
  | "suspended"
>;

/** Fields of the skill that an appended version changes. */
export type AppendedFields = Partial<
  Pick<SkillDoc, "description" | "tags" | "excerpt" | "current" | "updatedAt">
>;

/** Maximum length of a slug's number with its hyphen. */
const numberedSuffix = 6;

export type Skills = ReturnType<typeof openSkills>;

export function openSkills(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const notDeleted: Filter<SkillDoc> = { deletedAt: { $exists: false } };
  const visible: Filter<SkillDoc> = { ...notDeleted, suspended: { $exists: false } };
  return {
    /** Throws a duplicate error of index `skill_slug` or `skill_public_id`. */
    async insert(skill: SkillDoc): Promise<void> {
      await skills.insertOne(skill);
    },
    find: (id: string) => skills.findOne({ _id: id, ...visible }),
    listByIds: (ids: string[]) => skills.find({ _id: { $in: ids }, ...notDeleted }).toArray(),
    findByPublicId: (publicId: string) => skills.findOne({ publicId, ...visible }),
    findBySlug: (tenantId: string, slug: string) => skills.findOne({ tenantId, slug, ...visible }),
    /** Skills with a slug in the given organizations, at most one in each; for bare references. */
    listBySlugIn: (tenantIds: string[], slug: string) =>
      skills.find({ tenantId: { $in: tenantIds }, slug, ...notDeleted }).toArray(),
    /** Skills with a slug in the catalog, oldest first, except those of the given organizations. */
    listBySlugInCatalog: (slug: string, except: readonly string[], limit: number) =>
      skills
        .find({ slug, listed: true, tenantId: { $nin: [...except] } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    /** Skills with a name, in the matching folders or in all. */
    listByName: (tenantId: string, nameKey: string, limit: number, folderId?: Filter<SkillDoc>["folderId"]) =>
      skills
        .find({ tenantId, nameKey, folderId, ...notDeleted })
        .limit(limit)
        .toArray(),
    /** Slugs equal to a base or to the base with a number; a long base is shortened to make room for it. */
    async listSlugsLike(tenantId: string, base: string): Promise<string[]> {
      const stem = base.slice(0, limits.skillSlug - numberedSuffix);
      const pattern = stem === base ? `^${base}(-\\d+)?$` : `^${stem}`;
      const rows = await skills
        .find({ tenantId, slug: { $regex: pattern } }, { projection: { slug: 1 } })
        .toArray();
      return rows.map((row) => row.slug);
    },

    /**
     * Appends a version: the compare-and-set that makes it exist. Returns null and changes nothing if the skill was
     * deleted or has another head than `expectedHead`.
     */
    async append(
      id: string,
      expectedHead: number,
      version: VersionDoc,
      change: { fields: AppendedFields; highestRelease: string; events: EventRow[] },
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(change.events);
      return skills.findOneAndUpdate(
        { _id: id, "head.version": expectedHead, ...notDeleted },
        {
          $set: {
            ...change.fields,
            head: { version: version.version, oid: version.oid },
            highestRelease: change.highestRelease,
            ...outbox.$set,
          },
          $unset: { highestSemver: true },
          $push: { pending: version, ...outbox.$push },
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
      );
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

    /** Changes the current version. Returns null if a publish or another revert changed it concurrently. */
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
        { _id: id, "current.version": expected, ...notDeleted },
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
        { _id: id, ...visible },
        { $set: { ...fields, updatedAt: now, ...outbox.$set }, $push: outbox.$push, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    },

    /** Moves a skill to another folder. Returns null if it is not in `expected` any more. */
    async move(
      id: string,
      expected: string | null,
      target: Pick<SkillDoc, "folderId" | "governingFolderId" | "listed">,
      now: Date,
      events: EventRow[],
    ): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, folderId: expected, ...visible },
        { $set: { ...target, updatedAt: now, ...outbox.$set }, $push: outbox.$push, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
    },
    /** Marks a skill deleted: from this write on it is invisible, and its slug is free. */
    async markDeleted(id: string, now: Date, events: EventRow[]): Promise<SkillDoc | null> {
      const outbox = outboxUpdate(events);
      return skills.findOneAndUpdate(
        { _id: id, ...notDeleted },
        {
          $set: { deletedAt: now, listed: false, slug: `${id}.deleted`, ...outbox.$set },
          $push: outbox.$push,
          $inc: { revision: 1 },
        },
        { returnDocument: "after" },
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

    listUnflushed: (before: Date, limit: number) => listUnflushed(skills, before, limit),
    /** Skills to project, including deleted ones. */
    listToProject: (ids: string[]) =>
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
              takedown: 1,
              suspended: 1,
            },
          },
        )
        .toArray() as Promise<SkillToProject[]>,
    /** Skills as the search index needs them. */
    listToIndex: (ids: string[]) =>
      skills.find({ _id: { $in: ids } }, { projection: { pending: 0, outbox: 0 } }).toArray(),
    /** Commits that refs are derived from; undefined for a deleted skill. */
    async findOids(id: string): Promise<{ current: string; head: string } | undefined> {
      const skill = await skills.findOne(
        { _id: id, ...notDeleted },
        { projection: { "current.oid": 1, "head.oid": 1 } },
      );
      return skill ? { current: skill.current.oid, head: skill.head.oid } : undefined;
    },
    /** Removes projected versions and published events from the documents. Later additions stay. */
    async clearProjected(projected: SkillToProject[]): Promise<void> {
      const remaining = projected.filter((skill) => skill.pending.length + (skill.outbox?.length ?? 0) > 0);
      if (remaining.length === 0) return;
      await skills.bulkWrite(
        remaining.map(({ _id, pending, outbox }) => ({
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
    /** Removes the mark of skills that have nothing pending and have not changed since. */
    async markProjected(projected: SkillToProject[]): Promise<void> {
      if (projected.length === 0) return;
      await skills.bulkWrite(
        projected.map(({ _id, revision }) => ({
          updateOne: {
            filter: { _id, revision, pending: { $size: 0 }, outbox: { $size: 0 } },
            update: { $unset: { unsettledAt: true } },
          },
        })),
        { ordered: false },
      );
    },
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
    /** Every id, for the verify command and the reconcile job. */
    async *eachId(): AsyncGenerator<string> {
      for await (const row of skills.find({}, { projection: { _id: 1 } })) yield row._id;
    },
  };
}
