/** Operations on all skills of an organization. */
import { commandTimeMs, type Database } from "../database.ts";
import { listIds } from "../ids.ts";
import { updateInSlices } from "../maintenance/slices.ts";
import { visible, type VersionSummary } from "./document.ts";
import type { SkillDoc } from "./skills.ts";
import { isListed } from "./takedowns.ts";

export type MirroredSkill = Pick<
  SkillDoc,
  | "_id"
  | "tenantId"
  | "slug"
  | "name"
  | "description"
  | "type"
  | "visibility"
  | "tags"
  | "folderId"
  | "author"
  | "deprecated"
  | "marks"
  | "revision"
  | "current"
  | "head"
>;

/** A skill as a marketplace or an index offers it. */
export type OfferedSkill = Pick<
  SkillDoc,
  | "_id"
  | "tenantId"
  | "publicId"
  | "slug"
  | "name"
  | "description"
  | "type"
  | "visibility"
  | "takedown"
  | "withheld"
  | "tags"
  | "folderId"
  | "author"
  | "deprecated"
  | "marks"
  | "updatedAt"
> & { current: Pick<VersionSummary, "versionId" | "version" | "semver" | "oid" | "format" | "totalBytes"> };

const offeredFields = {
  tenantId: 1,
  publicId: 1,
  slug: 1,
  name: 1,
  description: 1,
  type: 1,
  visibility: 1,
  takedown: 1,
  withheld: 1,
  tags: 1,
  folderId: 1,
  author: 1,
  deprecated: 1,
  "marks.version": 1,
  "marks.deprecated": 1,
  "marks.held": 1,
  "marks.rejected": 1,
  updatedAt: 1,
  "current.versionId": 1,
  "current.version": 1,
  "current.semver": 1,
  "current.oid": 1,
  "current.format": 1,
  "current.totalBytes": 1,
} as const;

export function openTenantSkills(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  return {
    /** Bytes of the packs of all skills, also of deleted ones until they are erased. */
    async sumStoredBytes(tenantId: string): Promise<number> {
      const [sum] = await skills
        .aggregate<{ bytes: number }>(
          [{ $match: { tenantId } }, { $group: { _id: null, bytes: { $sum: "$storedBytes" } } }],
          { hint: { tenantId: 1, storedBytes: 1 }, maxTimeMS: commandTimeMs },
        )
        .toArray();
      return sum?.bytes ?? 0;
    },
    async rename(tenantId: string, tenantSlug: string): Promise<void> {
      await updateInSlices(skills, { tenantId, tenantSlug: { $ne: tenantSlug } }, { $set: { tenantSlug } });
    },
    /** Removes a deleted team from the skills that it owned. */
    async dropOwnerTeam(tenantId: string, teamId: string): Promise<void> {
      await updateInSlices(
        skills,
        { ownerTeamId: teamId, tenantId },
        { $unset: { ownerTeamId: true }, $inc: { revision: 1 } },
      );
    },
    /**
     * Hides every skill while the organization waits to be erased, public ones first, since members have lost access
     * to the organization already.
     */
    async suspend(tenantId: string): Promise<void> {
      for (const visibility of ["public", "unlisted", "private"] as const)
        await updateInSlices(
          skills,
          { tenantId, visibility, suspended: { $exists: false } },
          { $set: { suspended: true, listed: false }, $inc: { revision: 1 } },
        );
    },
    /** Ends the suspension; returns whether any skill was suspended. */
    async resume(tenantId: string): Promise<boolean> {
      const resumed = await updateInSlices(skills, { tenantId, suspended: true }, [
        { $unset: "suspended" },
        {
          $set: {
            listed: isListed,
            revision: { $add: ["$revision", 1] },
            // A projection during the suspension wrote an unlisted skill to the search index.
            pendingSince: { $ifNull: ["$pendingSince", "$$NOW"] },
          },
        },
      ]);
      return resumed > 0;
    },
    /**
     * Skills with the fields that are exported to a connected repository, in order of their ids. Includes suspended
     * ones, so that deleting or restoring an organization does not change its repository.
     */
    listToMirror: (tenantId: string, after: string, limit: number) =>
      skills
        .find(
          { tenantId, _id: { $gt: after }, deletedAt: { $exists: false }, withheld: { $exists: false } },
          {
            projection: {
              tenantId: 1,
              slug: 1,
              name: 1,
              description: 1,
              type: 1,
              visibility: 1,
              tags: 1,
              folderId: 1,
              author: 1,
              deprecated: 1,
              "marks.version": 1,
              "marks.deprecated": 1,
              revision: 1,
              current: 1,
              head: 1,
            },
          },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray() as Promise<MirroredSkill[]>,
    /**
     * The skills that changed last: those in the catalog, those under no restriction, or some by their ids. Access is
     * to be decided for each, since these fields are derived.
     */
    listOffered: (
      tenantId: string,
      which: "listed" | "unrestricted" | string[],
      limit: number,
    ): Promise<OfferedSkill[]> =>
      skills
        .find(
          {
            tenantId,
            ...(which === "listed"
              ? { listed: true }
              : which === "unrestricted"
                ? { effectiveRestrictionId: null }
                : { _id: { $in: which } }),
            withheld: { $exists: false },
            ...visible,
          },
          { maxTimeMS: commandTimeMs },
        )
        .project<OfferedSkill>(offeredFields)
        .sort({ updatedAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    /** Folder of each of an organization's skills. */
    listFolders: (tenantId: string) =>
      skills
        .find({ tenantId, deletedAt: { $exists: false } }, { projection: { folderId: 1 } })
        .toArray() as Promise<Pick<SkillDoc, "_id" | "folderId">[]>,
    /** Skills of anonymous identities, each of which is a tenant. */
    listShared: (tenantIds: string[]) =>
      skills
        .find(
          { tenantId: { $in: tenantIds }, deletedAt: { $exists: false } },
          { projection: { tenantId: 1, slug: 1, createdAt: 1 } },
        )
        .toArray() as Promise<Pick<SkillDoc, "_id" | "tenantId" | "slug" | "createdAt">[]>,
    /** Ids of an organization's skills, including deleted ones, for erasing them. */
    listIds: (tenantId: string, limit: number) => listIds(skills, { tenantId }, { limit }),
  };
}
