/**
 * Look-ups of single skills for reads: each skill with the state of its organization's folder tree, in one query that
 * concurrent requests share (`batched-lookup.ts`). The query reads the tree after the skill, so a skill that was moved
 * or changed is never judged by an older tree. Nothing is cached.
 */
import type { Document, Filter } from "mongodb";
import type { Database } from "../database.ts";
import type { TreeState } from "../folders/document.ts";
import { visible, type SkillDoc } from "../skills/document.ts";
import type { TenantDoc } from "../tenants.ts";
import { batchedLookup, oneOf } from "./batched-lookup.ts";

/** A skill, without the fields that only writes and search use. Callers of one turn may get the same object. */
export interface FoundSkill {
  skill: SkillDoc;
  /** Undefined if the organization never had folders. A `change` in it is not copied to the folders yet. */
  tree: TreeState | undefined;
}

type Row = SkillDoc & { tree: TreeState[] };

/** `unsettledAt` is read: a clone waits for the projection of a skill that has it. */
const unread = { outbox: 0, excerpt: 0 } as const;
const withTree: Document[] = [
  { $lookup: { from: "folder_trees", localField: "tenantId", foreignField: "_id", as: "tree" } },
  { $project: { ...unread, tree: { outbox: 0, outdated: 0, unsettledAt: 0 } } },
];

export type SkillLookups = ReturnType<typeof openSkillLookups>;

export function openSkillLookups(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const read = async (filter: Filter<SkillDoc>): Promise<FoundSkill[]> => {
    const rows = await skills.aggregate<Row>([{ $match: { ...filter, ...visible } }, ...withTree]).toArray();
    return rows.map(({ tree: [tree], ...skill }) => ({ skill, tree }));
  };
  const findInTenant = batchedLookup(async (keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as [tenantId: string, slug: string]);
    const filters = wanted.map(([tenantId, slug]) => ({ tenantId, slug }));
    const found = await read(filters.length === 1 ? filters[0]! : { $or: filters });
    return new Map(found.map((one) => [JSON.stringify([one.skill.tenantId, one.skill.slug]), one]));
  });
  return {
    find: batchedLookup(async (ids) => {
      const found = await read({ _id: oneOf(ids) });
      return new Map(found.map((one) => [one.skill._id, one]));
    }),
    findByPublicId: batchedLookup(async (publicIds) => {
      const found = await read({ publicId: oneOf(publicIds) });
      return new Map(found.map((one) => [one.skill.publicId, one]));
    }),
    findBySlug: (tenantId: string, slug: string) => findInTenant(JSON.stringify([tenantId, slug])),
    /** Skills with a slug in the given organizations, at most one in each. */
    listBySlugIn: (tenantIds: string[], slug: string) => read({ tenantId: oneOf(tenantIds), slug }),
    /**
     * Finds a skill by the slug or a former slug of its organization. Undefined if there is no such organization; the
     * skill is undefined if the organization has none with that slug.
     */
    async findByPath(
      tenantSlug: string,
      slug: string,
    ): Promise<{ found: FoundSkill | undefined } | undefined> {
      const [row] = await database
        .collection<TenantDoc>("tenants")
        .aggregate<{ skill: SkillDoc[]; tree: TreeState[] }>([
          { $match: { slugs: tenantSlug, erasedAt: { $exists: false } } },
          {
            $lookup: {
              from: "skills",
              localField: "_id",
              foreignField: "tenantId",
              pipeline: [{ $match: { slug, ...visible } }, { $project: unread }],
              as: "skill",
            },
          },
          { $lookup: { from: "folder_trees", localField: "_id", foreignField: "_id", as: "tree" } },
          { $project: { skill: 1, tree: { _id: 1, revision: 1, change: 1, prunedRevision: 1 } } },
        ])
        .toArray();
      if (!row) return undefined;
      const [skill] = row.skill;
      return { found: skill && { skill, tree: row.tree[0] } };
    },
  };
}
