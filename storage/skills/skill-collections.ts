/** Collections: named, ordered lists of an organization's skills. */
import type { Collection } from "mongodb";
import { everyone } from "../../contract/vocabulary.ts";
import { defineCollection } from "../collection.ts";
import { commandTimeMs } from "../database.ts";
import { removeSlice } from "../maintenance/slices.ts";
import { namedIndexes, namedOperations, type NamedDoc } from "../named.ts";
import { withoutOutbox } from "../outbox.ts";

export interface SkillCollectionDoc extends NamedDoc {
  /** Unique in the organization, as `nameKey`; it never changes. */
  slug: string;
  description: string;
  /** Folder whose readers may read the collection; null is the organization's root. */
  folderId: string | null;
  /** Set while anyone sees the collection, with its public skills, on the organization's page. */
  isPublic: boolean;
  /** Ids of teams whose members have to install its skills, or `everyone` for all members of the organization. */
  requiredFor?: string[];
  /** In the order of the collection. Skills that were deleted may still be named. */
  skillIds: string[];
}

export const skillCollectionsCollection = defineCollection({
  name: "skill_collections",
  indexes: [
    ...namedIndexes("collection_slug"),
    { key: { tenantId: 1, requiredFor: 1 }, name: "collection_required" },
  ],
  outbox: true,
  open: (collections: Collection<SkillCollectionDoc>) => {
    const ofTenant = (tenantId: string) => ({ tenantId, active: true }) as const;
    return {
      ...namedOperations(collections),
      findBySlug: (tenantId: string, slug: string) =>
        collections.findOne({ ...ofTenant(tenantId), nameKey: slug }, withoutOutbox),
      /** All of an organization, the oldest first: there are at most `limits.collectionsPerOrganization`. */
      list: (tenantId: string) =>
        collections
          .find(ofTenant(tenantId), { ...withoutOutbox, maxTimeMS: commandTimeMs })
          .sort({ _id: 1 })
          .toArray(),
      /** Those of some organizations that are required for everyone, or for one of their teams with these ids. */
      listRequired: (tenantIds: string[], teamIds: string[], limit: number): Promise<SkillCollectionDoc[]> =>
        collections
          .find(
            { tenantId: { $in: tenantIds }, requiredFor: { $in: [everyone, ...teamIds] }, active: true },
            { ...withoutOutbox, maxTimeMS: commandTimeMs },
          )
          .sort({ _id: 1 })
          .limit(limit)
          .toArray(),
      async dropTeam(tenantId: string, teamId: string): Promise<void> {
        await collections.updateMany(
          { ...ofTenant(tenantId), requiredFor: teamId },
          { $pull: { requiredFor: teamId }, $inc: { revision: 1 } },
        );
      },
      /** Whether a folder has collections. */
      hasAnyIn: async (tenantId: string, folderId: string): Promise<boolean> =>
        (await collections.findOne({ ...ofTenant(tenantId), folderId }, { projection: { _id: 1 } })) !== null,
      /** Takes a skill that is erased out of its organization's collections. */
      async dropSkill(tenantId: string, skillId: string): Promise<void> {
        await collections.updateMany(
          { ...ofTenant(tenantId), skillIds: skillId },
          { $pull: { skillIds: skillId }, $inc: { revision: 1 } },
        );
      },
      /** Removes deleted collections whose events are in the log; returns how many were removed. */
      removeEnded: () =>
        removeSlice(collections, { removedAt: { $exists: true }, pendingSince: { $exists: false } }),
    };
  },
});
