/** Pages of a ranked search: the skills that the access decision allows, in the order of their rank or another one. */
import { z } from "zod";
import { searchSorts, type SearchSort } from "../../../contract/vocabulary.ts";
import type { SkillConditions, SkillScope } from "../../../storage/search/skills.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { invalidRequest } from "../../errors.ts";
import { decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import { keepAllowed, withActs, type SeenSkill } from "../load.ts";
import {
  confidenceOf,
  rankSkills,
  withoutWorst,
  type Confidence,
  type FindRequest,
  type Found,
  type Ranked,
} from "./find.ts";
import type { Correction } from "./ranking/expand.ts";
import { findTerm, hashOf } from "./terms/packed.ts";
import { stemOf } from "./terms/words.ts";

/** A limit on what one search shows; who wants more adds a word or a filter. */
const maxShown = 1000;

/** Hits that are read at a time once the first of them, as many as a page has, were not enough. */
const furtherStep = 200;

/** Order, and sort value and id of the last hit that was looked at. */
const Cursor = z.tuple([z.enum(searchSorts), z.number().min(0).max(8.64e15), z.string().max(64)]);

export interface Hit {
  skill: SeenSkill;
  found: Found;
  /** Whether it is of an organization of the caller. */
  isOwn: boolean;
}

export interface RankedPage extends Ranked {
  hits: Hit[];
  /** The best hit of all pages that the caller may read. */
  first: Found | undefined;
  confidence: Confidence;
  /** Whether the first two hits of all are close; undefined on later pages and in another order. */
  isCompeting: boolean | undefined;
  nextCursor: string | null;
}

export type RankedRequest = FindRequest & Pick<SkillConditions, "requiredServerId" | "ownerTeamIds">;

export async function rankedPage(
  app: App,
  actor: Actor,
  request: RankedRequest,
  page: { limit: number; cursor?: string; sort: SearchSort },
): Promise<RankedPage> {
  const last = decodeCursor(page.cursor, Cursor);
  if (last && last[0] !== page.sort)
    throw invalidRequest("The cursor belongs to another order of this list.");
  const ranked = await rankSkills(app, request);
  const read = readerOf(app, actor, request);
  const first = await firstReadable(read, ranked.found, page.limit);
  const found = withoutWorst(ranked.found, first);
  const ordered = inOrder(found, page.sort).slice(0, maxShown);
  const valueOf = valuesBy[page.sort];
  const hits: Hit[] = [];
  let at = last ? continueAt(ordered, valueOf, last[1], last[2]) : 0;
  for (let step = page.limit; at < ordered.length && hits.length < page.limit; step = furtherStep) {
    const some = ordered.slice(at, at + step);
    hits.push(...(await read(some)).slice(0, page.limit - hits.length));
    // A full page ends with its last hit, and the next one begins after it.
    const lastHit = hits.length < page.limit ? undefined : hits.at(-1)!.found;
    at += lastHit ? some.indexOf(lastHit) + 1 : some.length;
  }
  const confidence = confidenceOf(first);
  const isBeginning = last === undefined && page.sort === "relevance";
  const end = at < ordered.length ? ordered[at - 1]! : undefined;
  return {
    ...ranked,
    found,
    hits,
    first,
    confidence,
    isCompeting: isBeginning ? areCompeting(hits, confidence) : undefined,
    corrections: ranked.corrections.filter((correction) => isNeeded(correction, hits)),
    nextCursor: end ? encodeCursor([page.sort, valueOf(end), end.skillId]) : null,
  };
}

/** Second hits with at least this share of the first one's value compete with it. */
const competingShare = 0.92;

/**
 * Whether two skills answer a query almost equally well, so that an agent may choose either. Their authors can tell
 * them apart by their descriptions.
 */
function areCompeting([first, second]: readonly Hit[], confidence: Confidence): boolean {
  if (!first || !second || confidence !== "high") return false;
  return second.found.value >= first.found.value * competingShare;
}

const valuesBy: Readonly<Record<SearchSort, (found: Found) => number>> = {
  relevance: ({ value }) => value,
  downloads: ({ downloads }) => downloads,
  newest: ({ createdAt }) => createdAt.getTime(),
  updated: ({ updatedAt }) => updatedAt.getTime(),
};

/** The place after the last hit; where it would be if it is not found any more. Scores change with time. */
function continueAt(
  ordered: readonly Found[],
  valueOf: (found: Found) => number,
  lastValue: number,
  lastId: string,
): number {
  const known = ordered.findIndex(({ skillId }) => skillId === lastId);
  if (known !== -1) return known + 1;
  const next = ordered.findIndex((one) => {
    const value = valueOf(one);
    return value < lastValue || (value === lastValue && one.skillId > lastId);
  });
  return next === -1 ? ordered.length : next;
}

/** Hits in an order, equal ones by their ids. */
function inOrder(found: readonly Found[], sort: SearchSort): readonly Found[] {
  const valueOf = valuesBy[sort];
  return found.toSorted((a, b) => valueOf(b) - valueOf(a) || (a.skillId < b.skillId ? -1 : 1));
}

/** Whether hits have the spelling that was searched for, and none has the word as it was typed. */
function isNeeded({ typed, used }: Correction, hits: readonly Hit[]): boolean {
  const has = (word: string) => hits.some(({ found }) => findTerm(found.packed, hashOf(stemOf(word))) !== 0);
  return has(used) && !has(typed);
}

/** The best hit that the caller may read. */
async function firstReadable(
  read: HitReader,
  found: readonly Found[],
  limit: number,
): Promise<Found | undefined> {
  for (let at = 0, step = limit; at < found.length; at += step, step = furtherStep) {
    const [first] = await read(found.slice(at, at + step));
    if (first) return first.found;
  }
  return undefined;
}

/** Reads those that the caller may read, in their order; each once for a page. */
type HitReader = (found: readonly Found[]) => Promise<Hit[]>;

function readerOf(
  app: App,
  actor: Actor,
  { scopes, query: _query, ...conditions }: RankedRequest,
): HitReader {
  const known = new Map<Found, Hit | undefined>();
  /** Hits of one scope by the ids of their skills. */
  const readIn = async (scope: SkillScope, ids: readonly string[]) => {
    const skills = await app.storage.skillSearch.listFound(ids, { scope, ...conditions });
    const allowed = await allowedIn(app, actor, scope, skills);
    return new Map(allowed.map((skill) => [skill._id, { skill, isOwn: scope.kind === "tenants" }]));
  };
  return async (found) => {
    const unknown = found.filter((one) => !known.has(one));
    const ids = unknown.map(({ skillId }) => skillId);
    const readable = ids.length > 0 ? await Promise.all(scopes.map((scope) => readIn(scope, ids))) : [];
    for (const one of unknown) {
      // Own scopes are the first: a public skill of an own organization is shown as a member sees it.
      const hit = readable.find((hits) => hits.has(one.skillId))?.get(one.skillId);
      known.set(one, hit && { ...hit, found: one });
    }
    return found.flatMap((one) => known.get(one) ?? []);
  };
}

/** The catalog is the same for every caller. */
async function allowedIn(
  app: App,
  actor: Actor,
  scope: SkillScope,
  skills: SkillDoc[],
): Promise<SeenSkill[]> {
  if (scope.kind === "tenants")
    return withActs(app, actor, await keepAllowed(app, actor, "skill:read", skills));
  return keepAllowed(app, { kind: "anonymous", origin: actor.origin }, "skill:read", skills);
}
