/**
 * Lists and search of skills. The query on the skills includes the caller's access, so that no list shows more than a
 * direct read would, and every page except the last one is full.
 */
import type { Collection, Filter } from "mongodb";
import type { SkillType, Visibility } from "../../contract/vocabulary.ts";
import { commandTimeMs, type Database } from "../database.ts";
import type { TreeState } from "../folders/folders.ts";
import type { SkillDoc } from "../skills/skills.ts";
import type { ScopeFilter } from "./entries.ts";

/**
 * Skills of an organization: all, or those under the given restrictions, in the given folders or with the given ids.
 */
export interface TenantScope {
  tenantId: string;
  /** Restricted folders whose restriction is in effect; null includes unrestricted skills. */
  restrictions?: (string | null)[];
  folderIds?: string[];
  skillIds?: string[];
}

/** The catalog of public skills, of one organization or of all others but some; or the skills of organizations. */
export type SkillScope =
  | { kind: "catalog"; tenantId?: string; except?: string[] }
  | { kind: "tenants"; tenants: TenantScope[] };

/** Whether the scope has all skills of the organization. */
export const isWhole = ({ restrictions, folderIds, skillIds }: TenantScope): boolean =>
  !restrictions && !folderIds && !skillIds;

export const sortFields = { updated: "updatedAt", newest: "createdAt", downloads: "downloads" } as const;
export type SkillSort = keyof typeof sortFields;

/** Conditions of a list. */
export interface SkillConditions {
  scope: SkillScope;
  type?: SkillType;
  visibility?: Visibility;
  /** Tags that a skill must all have. */
  tags?: readonly string[];
  folderId?: string | null;
  updatedSince?: Date;
  /** Id of an MCP server that a skill requires. */
  requiredServerId?: string;
  /** Teams of which one owns a skill. */
  ownerTeamIds?: string[];
}

export interface SkillQuery extends SkillConditions {
  sort: SkillSort;
  /** Sort value and id of the last item of the previous page. */
  after?: { value: Date | number; id: string };
  limit: number;
}

/** A skill with its sort value, after which the next page starts. */
export interface ListedSkill {
  skill: SkillDoc;
  value: Date | number;
}

export function openSkillSearch(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const timed = { maxTimeMS: commandTimeMs };
  return {
    list: (query: SkillQuery): Promise<ListedSkill[]> => listSorted(skills, query),
    /**
     * Skills of a query, with the states of folder trees. They are read after the skills, so no skill is judged by an
     * older tree.
     */
    listWithTrees: (query: SkillQuery, tenantIds: string[]) => listWithTrees(skills, query, tenantIds),
    /** Skills of a ranked search that meet the conditions, with the beginning of their texts, in no order. */
    listFound: (ids: readonly string[], query: SkillConditions): Promise<SkillDoc[]> =>
      skills
        .find({ $and: [{ _id: { $in: ids } }, itemFilter(query)] }, { projection: foundFields, ...timed })
        .toArray(),
    /** Marks of skills that have a deprecated version, as far as they say so: lists have no marks. */
    listDeprecatedVersions: (ids: readonly string[]) =>
      skills
        .find(
          { _id: { $in: ids }, "marks.deprecated": { $exists: true } },
          { projection: { "marks.version": 1, "marks.deprecated": 1 }, ...timed },
        )
        .toArray() as Promise<Pick<SkillDoc, "_id" | "marks">[]>,
    /** Facts of skills that meet the conditions, for counts: of those with the ids, or of all up to a limit. */
    listCounted: (
      which: { ids: readonly string[] } | { limit: number },
      query: SkillConditions,
    ): Promise<CountedSkill[]> =>
      skills
        .find<CountedSkill>(
          "ids" in which ? { $and: [{ _id: { $in: which.ids } }, itemFilter(query)] } : itemFilter(query),
          { projection: countedFields, limit: "limit" in which ? which.limit : 0, ...timed },
        )
        .toArray(),
  };
}

async function listSorted(skills: Collection<SkillDoc>, query: SkillQuery): Promise<ListedSkill[]> {
  const field = sortFields[query.sort];
  const found = await skills
    .find(pageFilter(query), { projection: listedFields, maxTimeMS: commandTimeMs })
    .sort({ [field]: -1, _id: -1 })
    .limit(query.limit)
    .toArray();
  return found.map((skill) => ({ skill, value: skill[field] }));
}

async function listWithTrees(
  skills: Collection<SkillDoc>,
  query: SkillQuery,
  tenantIds: string[],
): Promise<{ listed: ListedSkill[]; trees: TreeState[] }> {
  const field = sortFields[query.sort];
  const state = {
    _id: "$_id",
    revision: "$revision",
    change: "$change",
    prunedRevision: "$prunedRevision",
  };
  const rows = await skills
    .aggregate<SkillDoc | { tree: TreeState }>(
      [
        { $match: pageFilter(query) },
        { $sort: { [field]: -1, _id: -1 } },
        { $limit: query.limit },
        { $project: listedFields },
        {
          $unionWith: {
            coll: "folder_trees",
            pipeline: [{ $match: { _id: oneOf(tenantIds) } }, { $project: { tree: state } }],
          },
        },
      ],
      { maxTimeMS: commandTimeMs, batchSize: query.limit + tenantIds.length + 1 },
    )
    .toArray();
  const listed = rows.flatMap((row) => ("tree" in row ? [] : { skill: row, value: row[field] }));
  return { listed, trees: rows.flatMap((row) => ("tree" in row ? row.tree : [])) };
}

/** Projection without the fields that no list shows, which are most of a document. */
const listedFields = {
  excerpt: 0,
  pending: 0,
  outbox: 0,
  nameKey: 0,
  marks: 0,
  "reviews.at": 0,
  "reviews.by": 0,
  "reviews.note": 0,
  revision: 0,
  head: 0,
  highestRelease: 0,
  "current.oid": 0,
  "current.digest": 0,
  "current.hash": 0,
  "current.frontmatter": 0,
  "current.contentLocation": 0,
} as const;
const { excerpt: _excerpt, ...foundFields } = listedFields;

/** Fields of a skill that the facets of a search count. */
export type CountedSkill = Pick<
  SkillDoc,
  | "_id"
  | "tenantId"
  | "folderId"
  | "type"
  | "tags"
  | "visibility"
  | "listed"
  | "takedown"
  | "withheld"
  | "updatedAt"
>;
const countedFields = {
  tenantId: 1,
  folderId: 1,
  type: 1,
  tags: 1,
  visibility: 1,
  listed: 1,
  takedown: 1,
  withheld: 1,
  updatedAt: 1,
} as const;

/** Conditions for one skill. */
function itemFilter(query: SkillConditions): Filter<SkillDoc> {
  const clauses: Filter<SkillDoc>[] = [scopeFilter(query.scope)];
  if (query.type !== undefined) clauses.push({ type: query.type });
  if (query.visibility !== undefined) clauses.push({ visibility: query.visibility });
  for (const tag of query.tags ?? []) clauses.push({ tags: tag });
  if (query.folderId !== undefined) clauses.push({ folderId: query.folderId });
  if (query.updatedSince !== undefined) clauses.push({ updatedAt: { $gte: query.updatedSince } });
  if (query.requiredServerId !== undefined)
    clauses.push({ requiredServerIds: query.requiredServerId, visibility: "private" });
  if (query.ownerTeamIds !== undefined) clauses.push({ ownerTeamId: oneOf(query.ownerTeamIds) });
  return { $and: clauses };
}

function pageFilter(query: SkillQuery): Filter<SkillDoc> {
  const clauses = [itemFilter(query)];
  if (query.after) {
    const field = sortFields[query.sort];
    const { value, id } = query.after;
    clauses.push({ [field]: { $lte: value } });
    clauses.push({ $or: [{ [field]: { $lt: value } }, { _id: { $lt: id } }] });
  }
  return { $and: clauses };
}

function scopeFilter(scope: SkillScope): Filter<SkillDoc> {
  if (scope.kind === "catalog") return catalogFilter(scope);
  return { $and: [scopeClauses(scope), { deletedAt: { $exists: false }, withheld: { $ne: "unreleased" } }] };
}

function catalogFilter({ tenantId, except = [] }: { tenantId?: string; except?: string[] }) {
  if (tenantId !== undefined) return { listed: true, tenantId };
  return except.length > 0 ? { listed: true, tenantId: { $nin: except } } : { listed: true };
}

/** A scope as a filter on fields that skills and their search entries share. */
export function scopeClauses(scope: SkillScope): ScopeFilter {
  if (scope.kind === "catalog") return catalogFilter(scope);
  const whole: string[] = [];
  const unrestricted: string[] = [];
  const clauses: ScopeFilter[] = [];
  for (const tenant of scope.tenants) {
    const { tenantId, restrictions, folderIds, skillIds } = tenant;
    if (isWhole(tenant)) whole.push(tenantId);
    else if (restrictions?.length === 1 && !folderIds && !skillIds) unrestricted.push(tenantId);
    else
      clauses.push({
        tenantId,
        _id: skillIds && { $in: skillIds },
        effectiveRestrictionId: restrictions && { $in: restrictions },
        folderId: folderIds && { $in: folderIds },
      });
  }
  // As few branches as possible, since each of them is a separate scan.
  if (unrestricted.length > 0)
    clauses.unshift({ tenantId: oneOf(unrestricted), effectiveRestrictionId: null });
  if (whole.length > 0) clauses.unshift({ tenantId: oneOf(whole) });
  return clauses.length === 1 ? clauses[0]! : { $or: clauses };
}

const oneOf = (ids: string[]) => (ids.length === 1 ? ids[0]! : { $in: ids });
