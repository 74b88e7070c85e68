/**
 * Look-ups of single skills for reads: each skill with the state of its organization's folder tree, in one query that
 * concurrent requests share (`batched-lookup.ts`). The query reads the tree after the skill, so a skill that was moved
 * or changed is never judged by an older tree. No fact is cached, only where a look-up found the skill: the next one
 * reads skill and tree by their ids, which costs the engine two thirds of joining them, and no tree for a root.
 */
import { LRUCache } from "lru-cache";
import type { Document, Filter } from "mongodb";
import type { Database } from "../database.ts";
import type { TreeState } from "../folders/document.ts";
import { visible, type SkillDoc } from "../skills/document.ts";
import { batchedLookup, oneOf } from "./batched-lookup.ts";
import type { JoinedReads } from "./joined-reads.ts";

/** A skill. Callers of one turn may get the same object. */
export interface FoundSkill {
  skill: SkillDoc;
  /**
   * Undefined if the organization never had folders. A `change` in it is not copied to the folders yet. `unread` for a
   * skill that was at the root of its organization, or in another one, when it was looked up before.
   */
  tree: TreeState | undefined | "unread";
}

type Row = SkillDoc & { tree: TreeState[] };

const toFound = ({ tree: [tree], ...skill }: Row): FoundSkill => ({ skill, tree });
/** Credentials, which may share a command, have no public id. */
const isSkill = (row: Partial<Row>) => row.publicId !== undefined;
/** The condition `visible`. */
const isVisible = ({ deletedAt, suspended }: SkillDoc) => deletedAt === undefined && suspended === undefined;

/** `pendingSince` is read: a clone waits for the projection of a skill that has it. */
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

/** Where a skill was found. */
interface Place {
  tenantId: string;
  inFolder: boolean;
}

/** The cache allocates room for all of them at once. */
const knownPlaces = 5_000;

interface KeyedBy {
  keyOf(skill: SkillDoc): string;
  /** Condition for the skills with some keys. */
  filterOf(keys: string[]): Filter<SkillDoc>;
}

function skillLookup(reads: JoinedReads, by: KeyedBy) {
  const places = new LRUCache<string, Place>({ max: knownPlaces });
  return batchedLookup(async (keys) => {
    const isKnown = (key: string) => places.has(key);
    const [known, others] = [keys.filter(isKnown), keys.filter((key) => !isKnown(key))];
    const found = new Map<string, FoundSkill>();
    await Promise.all([
      known.length > 0 && findKnown(reads, by, new Map(known.map((key) => [key, places.get(key)!])), found),
      others.length > 0 && findNew(reads, by, others, found),
    ]);
    for (const [key, { skill }] of found)
      places.set(key, { tenantId: skill.tenantId, inFolder: skill.folderId !== null });
    return found;
  }, reads.schedule);
}

async function findNew(
  reads: JoinedReads,
  { keyOf, filterOf }: KeyedBy,
  keys: string[],
  found: Map<string, FoundSkill>,
): Promise<void> {
  const wanted = new Set(keys);
  const isWanted = (row: Row) => isSkill(row) && row.tree !== undefined && wanted.has(keyOf(row));
  for (const row of await reads.read<Row>("skills", pipelineOf(filterOf(keys)), isWanted))
    found.set(keyOf(row), toFound(row));
}

/** Leaves no field out and checks no condition in the query, which costs the engine more than sending all. */
async function findKnown(
  reads: JoinedReads,
  { keyOf, filterOf }: KeyedBy,
  places: ReadonlyMap<string, Place>,
  found: Map<string, FoundSkill>,
): Promise<void> {
  const tenantIds = new Set([...places.values()].flatMap((one) => (one.inFolder ? [one.tenantId] : [])));
  const isWanted = (row: Partial<Row>) =>
    isSkill(row) && row.tree === undefined && places.has(keyOf(row as Row));
  const isTree = ({ _id }: TreeState) => tenantIds.has(_id);
  const [skills, states] = await Promise.all([
    reads.read<SkillDoc>("skills", [{ $match: filterOf([...places.keys()]) }], isWanted),
    tenantIds.size === 0
      ? []
      : reads.read<TreeState>("folder_trees", [{ $match: { _id: oneOf([...tenantIds]) } }], isTree),
  ]);
  const trees = new Map(states.map((state) => [state._id, state]));
  for (const skill of skills.filter(isVisible)) {
    const tree = tenantIds.has(skill.tenantId) ? trees.get(skill.tenantId) : "unread";
    found.set(keyOf(skill), { skill, tree });
  }
}

export function openSkillLookups(database: Database, reads: JoinedReads) {
  const findInTenant = skillLookup(reads, {
    keyOf: ({ tenantId, slug }) => JSON.stringify([tenantId, slug]),
    filterOf(keys) {
      const pairs = keys.map((key) => JSON.parse(key) as [tenantId: string, slug: string]);
      const filters = pairs.map(([tenantId, slug]) => ({ tenantId, slug }));
      return filters.length === 1 ? filters[0]! : { $or: filters };
    },
  });
  return {
    find: skillLookup(reads, { keyOf: (skill) => skill._id, filterOf: (ids) => ({ _id: oneOf(ids) }) }),
    findByPublicId: skillLookup(reads, {
      keyOf: (skill) => skill.publicId,
      filterOf: (publicIds) => ({ publicId: oneOf(publicIds) }),
    }),
    findBySlug: (tenantId: string, slug: string) => findInTenant(JSON.stringify([tenantId, slug])),
    /** Skills with a slug in the given organizations, at most one in each. */
    async listBySlugIn(tenantIds: string[], slug: string): Promise<FoundSkill[]> {
      const pipeline = pipelineOf({ tenantId: oneOf(tenantIds), slug });
      return (await database.aggregate<Row>("skills", pipeline)).map(toFound);
    },
    /**
     * Finds a skill by the slug or a previous slug of its organization. Undefined if there is no such organization; the
     * skill is undefined if the organization has none with that slug.
     */
    async findByPath(
      tenantSlug: string,
      slug: string,
    ): Promise<{ tenantId: string; found: FoundSkill | undefined } | undefined> {
      const [row] = await database.aggregate<{ _id: string; skill: SkillDoc[]; tree: TreeState[] }>(
        "tenants",
        [
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
        ],
      );
      if (!row) return undefined;
      const [skill] = row.skill;
      return { tenantId: row._id, found: skill && { skill, tree: row.tree[0] } };
    },
  };
}
