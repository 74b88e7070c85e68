/** What happens to all skills of an organization at once. */
import type { Database } from "./database.ts";
import type { SkillDoc } from "./skills.ts";
import { updateInSlices } from "./slices.ts";

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
  | "revision"
  | "current"
  | "head"
>;

export type TenantSkills = ReturnType<typeof openTenantSkills>;

export function openTenantSkills(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  return {
    async rename(tenantId: string, tenantSlug: string): Promise<void> {
      await updateInSlices(skills, { tenantId, tenantSlug: { $ne: tenantSlug } }, { $set: { tenantSlug } });
    },
    /**
     * Takes every skill out of sight, for as long as their organization waits to be erased; first those that others than
     * its members can see, who see nothing of it any more anyway.
     */
    async suspend(tenantId: string): Promise<void> {
      for (const visibility of ["public", "unlisted", "private"] as const)
        await updateInSlices(
          skills,
          { tenantId, visibility, suspended: { $exists: false } },
          { $set: { suspended: true, listed: false }, $inc: { revision: 1 } },
        );
    },
    /** Brings them back; answers whether any was out of sight. */
    async resume(tenantId: string): Promise<boolean> {
      const isListed = {
        $and: [
          { $eq: ["$visibility", "public"] },
          { $eq: [{ $ifNull: ["$governingFolderId", null] }, null] },
          { $not: ["$deletedAt"] },
        ],
      };
      const resumed = await updateInSlices(skills, { tenantId, suspended: true }, [
        {
          $set: {
            listed: isListed,
            revision: { $add: ["$revision", 1] },
            // What was settled meanwhile told search of a skill that nobody sees.
            unsettledAt: { $ifNull: ["$unsettledAt", "$$NOW"] },
          },
        },
        { $unset: "suspended" },
      ]);
      return resumed > 0;
    },
    /**
     * What a repository that mirrors an organization's skills holds of each, in order of their ids. Suspended ones too: files
     * of an organization that is deleted, or brought back, stay where they are.
     */
    listToMirror: (tenantId: string, after: string, limit: number) =>
      skills
        .find(
          { tenantId, _id: { $gt: after }, deletedAt: { $exists: false } },
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
              revision: 1,
              current: 1,
              head: 1,
            },
          },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray() as Promise<MirroredSkill[]>,
    /** Skills of some anonymous identities, each its own tenant. */
    listShared: (tenantIds: string[]) =>
      skills
        .find(
          { tenantId: { $in: tenantIds }, deletedAt: { $exists: false } },
          { projection: { tenantId: 1, slug: 1, createdAt: 1 } },
        )
        .toArray() as Promise<Pick<SkillDoc, "_id" | "tenantId" | "slug" | "createdAt">[]>,
    /** Some of an organization's skills, deleted ones included, for erasing them. */
    async listIds(tenantId: string, limit: number): Promise<string[]> {
      const rows = await skills
        .find({ tenantId }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      return rows.map((row) => row._id);
    },
  };
}
