/**
 * Ranked search over what a caller can read: their organizations' skills, and the public ones. The entries that match
 * the words are read by the caller's scope, and scored in the process.
 */
import type { confidences } from "../../../contract/payloads/discovery/search.ts";
import type { SkillType, Visibility } from "../../../contract/vocabulary.ts";
import type { EntryFilter } from "../../../storage/search/entries.ts";
import { scopeClauses, type SkillScope, type TenantScope } from "../../../storage/search/skills.ts";
import { publicScope } from "../../../storage/search/terms.ts";
import type { App } from "../../app.ts";
import { hasEarlierEntries } from "./earlier.ts";
import { searchNameOf } from "./entry.ts";
import { maxCandidates, readsOf } from "./ranking/candidates.ts";
import { expand, type Correction } from "./ranking/expand.ts";
import { groupsOf, type QueryGroup } from "./ranking/query.ts";
import { scorerOf, type Score, type TermCounts } from "./ranking/score.ts";
import { relatedFor } from "./synonyms.ts";
import { packTerms } from "./terms/packed.ts";
import { stemOf, wordsOf } from "./terms/words.ts";

export interface FindRequest {
  query: string;
  scopes: readonly SkillScope[];
  type?: SkillType;
  visibility?: Visibility;
  tags?: readonly string[];
  folderId?: string | null;
  updatedSince?: Date;
}

export interface Found {
  skillId: string;
  score: Score;
  /** With the bonus for an exact name and the prior. */
  value: number;
  packed: Buffer;
  downloads: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Hits as the index has them, which may be outdated: only what the access decision allows may be told. */
export interface Ranked {
  /** The best first. */
  found: Found[];
  corrections: Correction[];
  groups: QueryGroup[];
  counts: TermCounts;
}

/** How well the first hit answers the query. */
export type Confidence = (typeof confidences)[number];

export function confidenceOf(first: Found | undefined): Confidence {
  if (!first) return "none";
  const { coverage, share } = first.score;
  return coverage < leastCoverage || share < leastMatch ? "low" : "high";
}

/** Hits that are not far below the best one that may be read. */
export const withoutWorst = (found: readonly Found[], first: Found | undefined): Found[] =>
  first ? found.filter(({ value }) => value >= first.value * leastShare) : [];

/** Hits below this share of the first one's value are left out. */
const leastShare = 0.12;
/** Below these, the first hit is one of the best of bad ones. */
const leastCoverage = 0.5;
const leastMatch = 0.18;
const exactNameBonus = 1.5;
const ownBonus = 0.05;
const useBonus = 0.04;
const recentBonus = 0.03;
const yearMs = 365 * 24 * 3_600_000;

/** Organizations of the caller whose counts are read; more would cost more than they tell. */
const maxCountedOrganizations = 9;

export async function rankSkills(app: App, request: FindRequest): Promise<Ranked> {
  const groups = groupsOf(request.query, await relatedFor(app, request.scopes, request.query));
  if (groups.length === 0) return { found: [], corrections: [], groups, counts: { entries: 0, of: () => 0 } };
  const isTyping = /[\p{L}\p{N}]$/u.test(request.query);
  const expanded = await expand(app, countedScopes(request.scopes), groups, isTyping);
  const { type, visibility, tags, folderId, updatedSince } = request;
  const reads = readsOf(expanded.groups, expanded.counts);
  const pages = await Promise.all(
    request.scopes.flatMap((scope) => {
      const filter: EntryFilter = {
        scope: scopeClauses(scope),
        type,
        visibility,
        tags,
        folderId,
        updatedSince,
      };
      return [
        ...reads.map((terms) => app.storage.searchEntries.listCandidates(filter, terms, maxCandidates)),
        readEarlier(app, filter, request.query),
      ];
    }),
  );
  const candidates = new Map(pages.flat().map((entry) => [entry._id, entry]));
  const score = scorerOf(expanded.groups, expanded.counts);
  const nameKey = searchNameOf(request.query);
  const own = new Set(
    request.scopes.flatMap((scope) =>
      scope.kind === "tenants" ? scope.tenants.map(({ tenantId }) => tenantId) : [],
    ),
  );
  const now = app.now().getTime();
  const found: Found[] = [];
  for (const {
    _id: skillId,
    packed,
    names,
    tenantId,
    downloads,
    createdAt,
    updatedAt,
  } of candidates.values()) {
    const scored = score(packed);
    if (scored.value === 0) continue;
    const prior =
      1 +
      (own.has(tenantId) ? ownBonus : 0) +
      useBonus * Math.min(1, Math.log10(1 + downloads) / 4) +
      recentBonus * Math.max(0, 1 - (now - updatedAt.getTime()) / yearMs);
    const bonus = names.includes(nameKey) ? exactNameBonus : 1;
    found.push({
      skillId,
      packed,
      score: scored,
      value: scored.value * prior * bonus,
      downloads,
      createdAt,
      updatedAt,
    });
  }
  found.sort((a, b) => b.value - a.value);
  return {
    found,
    corrections: expanded.corrections,
    groups: expanded.groups,
    counts: expanded.counts,
  };
}

/**
 * Scopes whose counts a caller may know: the catalog's, and those of organizations in which no further limit applies to
 * the caller.
 */
function countedScopes(scopes: readonly SkillScope[]): string[] {
  // Counts are of skills under no restriction, which every scope of an organization has.
  const whole = ({ folderIds, skillIds }: TenantScope) => folderIds === undefined && skillIds === undefined;
  const own = scopes.flatMap((scope) => (scope.kind === "tenants" ? scope.tenants.filter(whole) : []));
  return [publicScope, ...own.map(({ tenantId }) => tenantId).slice(0, maxCountedOrganizations)];
}

const weightOfEarlier = 90;

/** Entries of earlier versions of the service, as long as there are any, which have no weights. */
async function readEarlier(app: App, filter: EntryFilter, query: string) {
  if (!(await hasEarlierEntries(app))) return [];
  const words = wordsOf(query, 32).map(({ text }) => text);
  const entries = await app.storage.searchEntries.listEarlier(filter, words, maxCandidates);
  return entries.map(({ terms, ...entry }) => ({
    ...entry,
    names: [],
    packed: packTerms(terms.map((term) => ({ term: stemOf(term), weight: weightOfEarlier, fields: 0 }))),
  }));
}
