/**
 * Lists and search over skills. Who may see what is part of the query and never a filter after it, so a page is full
 * or the last one. A search takes whole words from the text index, and beginnings of names and slugs from indexes.
 */
import type { Document, Filter } from "mongodb";
import type { SkillType, Visibility } from "../contract/vocabulary.ts";
import { commandTimeMs, type Database } from "./database.ts";
import type { SkillDoc } from "./skills.ts";

/** Whose skills: the catalog of public ones, or everything in some organizations. */
export type SkillScope = { kind: "catalog" } | { kind: "tenants"; tenantIds: string[] };

export const sortFields = { updated: "updatedAt", newest: "createdAt", downloads: "downloads" } as const;
export type SkillSort = keyof typeof sortFields;

export interface SkillQuery {
  scope: SkillScope;
  type?: SkillType | undefined;
  visibility?: Visibility | undefined;
  tag?: string | undefined;
  folderId?: string | null | undefined;
  /** Words, or the beginning of a name. */
  text?: string | undefined;
  sort: SkillSort;
  /** Sort value and id of the last item of the page before. */
  after?: { value: Date | number; id: string } | undefined;
  limit: number;
}

export type SkillSearch = ReturnType<typeof openSkillSearch>;

export function openSkillSearch(database: Database) {
  const skills = database.collection<SkillDoc>("skills");
  const cursorOf = (query: SkillQuery) =>
    skills
      .find(filterOf(query), { projection: listedFields, maxTimeMS: commandTimeMs })
      .sort({ [sortFields[query.sort]]: -1, _id: -1 })
      .limit(query.limit);
  return {
    list: (query: SkillQuery): Promise<SkillDoc[]> => cursorOf(query).toArray(),
    /** The plan of a query, for tests that hold each one to an index. */
    explain: (query: SkillQuery): Promise<Document> => cursorOf(query).explain("executionStats"),
  };
}

/** Lists show neither the text nor what waits to be settled. */
const listedFields = { excerpt: 0, pending: 0, outbox: 0 } as const;

function filterOf(query: SkillQuery): Filter<SkillDoc> {
  const clauses: Filter<SkillDoc>[] = [scopeFilter(query.scope)];
  if (query.type !== undefined) clauses.push({ type: query.type });
  if (query.visibility !== undefined) clauses.push({ visibility: query.visibility });
  if (query.tag !== undefined) clauses.push({ tags: query.tag });
  if (query.folderId !== undefined) clauses.push({ folderId: query.folderId });
  if (query.text !== undefined && query.text !== "") clauses.push(textFilter(query.text));
  if (query.after) {
    const field = sortFields[query.sort];
    const { value, id } = query.after;
    clauses.push({
      $or: [{ [field]: { $lt: value } }, { [field]: value, _id: { $lt: id } }],
    } as Filter<SkillDoc>);
  }
  return { $and: clauses };
}

function scopeFilter(scope: SkillScope): Filter<SkillDoc> {
  if (scope.kind === "catalog") return { listed: true };
  const [only, ...others] = scope.tenantIds;
  const tenantId = only !== undefined && others.length === 0 ? only : { $in: scope.tenantIds };
  return { tenantId, deletedAt: { $exists: false } };
}

/** Every word must occur, or the name or slug must begin with what was typed. */
function textFilter(text: string): Filter<SkillDoc> {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const prefix = { $regex: `^${escapeRegex(text.toLowerCase())}` };
  const beginnings: Filter<SkillDoc>[] = [{ nameKey: prefix }, { slug: prefix }];
  if (words.length === 0) return { $or: beginnings };
  const phrases = words.slice(0, 10).map((word) => `"${word}"`);
  return { $or: [{ $text: { $search: phrases.join(" ") } }, ...beginnings] };
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
