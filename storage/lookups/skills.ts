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
import type { JoinedReads } from "./joined-reads.ts";

/** A skill, without the fields that only writes and search use. Callers of one turn may get the same object. */
export interface FoundSkill {
  skill: SkillDoc;
  /** Undefined if the organization never had folders. A `change` in it is not copied to the folders yet. */
  tree: TreeState | undefined;
}

type Row = SkillDoc & { tree: TreeState[] };

const toFound = ({ tree: [tree], ...skill }: Row): FoundSkill => ({ skill, tree });
/** Credentials, which may share a command, have no public id. */
const isSkill = (row: Partial<Row>) => row.publicId !== undefined;

/** `unsettledAt` is read: a clone waits for the projection of a skill that has it. */
const unread = { outbox: 0, excerpt: 0 } as const;
/** Fields are left out before the tree is added: taking a result apart costs the engine as much as the look-up. */
const withTree: Document[] = [
  { $project: unread },
  { $lookup: { from: "folder_trees", localField: "tenantId", foreignField: "_id", as: "tree" } },
];

const pipelineOf = (filter: Filter<SkillDoc>): Document[] => [
  { $match: { ...filter, ...visible } },
  ...withTree,
];

/** Look-ups by the text that `keyOf` makes of a skill; `filterOf` is the condition for some such texts. */
const skillLookup =
  (reads: JoinedReads) =>
  (keyOf: (skill: SkillDoc) => string, filterOf: (keys: string[]) => Filter<SkillDoc>) =>
    batchedLookup(async (keys) => {
      const wanted = new Set(keys);
      const isWanted = (row: Row) => isSkill(row) && wanted.has(keyOf(row));
      const found = await reads.read<Row>("skills", pipelineOf(filterOf(keys)), isWanted);
      return new Map(found.map((row) => [keyOf(row), toFound(row)]));
    }, reads.schedule);

export type SkillLookups = ReturnType<typeof openSkillLookups>;

export function openSkillLookups(database: Database, reads: JoinedReads) {
  const lookUpBy = skillLookup(reads);
  const findInTenant = lookUpBy(
    ({ tenantId, slug }) => JSON.stringify([tenantId, slug]),
    (keys) => {
      const pairs = keys.map((key) => JSON.parse(key) as [tenantId: string, slug: string]);
      const filters = pairs.map(([tenantId, slug]) => ({ tenantId, slug }));
      return filters.length === 1 ? filters[0]! : { $or: filters };
    },
  );
  return {
    find: lookUpBy(
      (skill) => skill._id,
      (ids) => ({ _id: oneOf(ids) }),
    ),
    findByPublicId: lookUpBy(
      (skill) => skill.publicId,
      (publicIds) => ({ publicId: oneOf(publicIds) }),
    ),
    findBySlug: (tenantId: string, slug: string) => findInTenant(JSON.stringify([tenantId, slug])),
    /** Skills with a slug in the given organizations, at most one in each. */
    async listBySlugIn(tenantIds: string[], slug: string): Promise<FoundSkill[]> {
      const pipeline = pipelineOf({ tenantId: oneOf(tenantIds), slug });
      return (await database.collection<SkillDoc>("skills").aggregate<Row>(pipeline).toArray()).map(toFound);
    },
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
