/** The public catalog in the order in which its skills were created, which new skills do not change. */
import type { Collection, Filter } from "mongodb";
import { commandTimeMs } from "../database.ts";
import type { SkillDoc } from "./document.ts";

/** Sort values of a skill in the catalog. */
export interface CatalogPosition {
  createdAt: Date;
  id: string;
}

export type CatalogEntry = Pick<
  SkillDoc,
  | "_id"
  | "tenantId"
  | "tenantSlug"
  | "slug"
  | "folderId"
  | "visibility"
  | "takedown"
  | "createdAt"
  | "updatedAt"
>;

const entryFields = {
  tenantId: 1,
  tenantSlug: 1,
  slug: 1,
  folderId: 1,
  visibility: 1,
  takedown: 1,
  createdAt: 1,
  updatedAt: 1,
} satisfies Partial<Record<keyof CatalogEntry, 1>>;

const oldestFirst = { createdAt: 1, _id: 1 } as const;

const beyond = ({ createdAt, id }: CatalogPosition): Filter<SkillDoc> => ({
  listed: true,
  createdAt: { $gte: createdAt },
  $or: [{ createdAt: { $gt: createdAt } }, { _id: { $gt: id } }],
});

export function catalogOperations(skills: Collection<SkillDoc>) {
  return {
    /** Skills after a position. */
    listCatalogAfter: (position: CatalogPosition, limit: number): Promise<CatalogEntry[]> =>
      skills
        .find(beyond(position), { maxTimeMS: commandTimeMs })
        .project<CatalogEntry>(entryFields)
        .sort(oldestFirst)
        .limit(limit)
        .toArray(),
    /** Position of the last of the next skills; undefined if no more than these follow. */
    async findCatalogPosition(
      position: CatalogPosition,
      count: number,
    ): Promise<CatalogPosition | undefined> {
      const [last, following] = await skills
        .find(beyond(position), { maxTimeMS: commandTimeMs })
        .project<Pick<SkillDoc, "_id" | "createdAt">>({ createdAt: 1 })
        .sort(oldestFirst)
        .skip(count - 1)
        .limit(2)
        .toArray();
      return last && following ? { createdAt: last.createdAt, id: last._id } : undefined;
    },
  };
}
