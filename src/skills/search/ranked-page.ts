/** Pages of a ranked search: the skills that the access decision allows, in the order of their rank or another one. */
import { z } from "zod";
import type { SkillConditions, SkillScope } from "../../../storage/search/skills.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { invalidRequest } from "../../errors.ts";
import { decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import { keepAllowed, withActs, type SeenSkill } from "../load.ts";
import {
  confidenceOf,
  rankSkills,
  type Confidence,
  type FindRequest,
  type Found,
  type Ranked,
} from "./find.ts";
import type { Correction } from "./ranking/expand.ts";
import { findTerm, hashOf } from "./terms/packed.ts";
import { stemOf } from "./terms/words.ts";

export const rankedSorts = ["relevance", "downloads", "newest", "updated"] as const;
export type RankedSort = (typeof rankedSorts)[number];

/** A limit on what one search shows; who wants more adds a word or a filter. */
const maxShown = 1000;

/** Order, and sort value and id of the last hit that was looked at. */
const Cursor = z.tuple([z.enum(rankedSorts), z.number().min(0).max(8.64e15), z.string().max(64)]);

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
  nextCursor: string | null;
}

export type RankedRequest = FindRequest & Pick<SkillConditions, "requiredServerId">;

export async function rankedPage(
  app: App,
  actor: Actor,
  request: RankedRequest,
  page: { limit: number; cursor?: string; sort: RankedSort },
): Promise<RankedPage> {
  const last = decodeCursor(page.cursor, Cursor);
  if (last && last[0] !== page.sort)
    throw invalidRequest("The cursor belongs to another order of this list.");
  const ranked = await rankSkills(app, request);
  const ordered = inOrder(ranked.found, page.sort).slice(0, maxShown);
  const valueOf = valuesBy[page.sort];
  const hits: Hit[] = [];
  let at = last ? continueAt(ordered, valueOf, last[1], last[2]) : 0;
  while (at < ordered.length && hits.length < page.limit) {
    const some = ordered.slice(at, at + page.limit);
    const readable = await readSkills(
      app,
      actor,
      request,
      some.map(({ skillId }) => skillId),
    );
    for (const found of some) {
      if (hits.length === page.limit) break;
      at++;
      const known = readable.get(found.skillId);
      if (known) hits.push({ ...known, found });
    }
  }
  const first = await firstReadable(app, actor, request, ranked.found, hits);
  const end = at < ordered.length ? ordered[at - 1]! : undefined;
  return {
    ...ranked,
    hits,
    first,
    confidence: confidenceOf(first),
    corrections: ranked.corrections.filter((correction) => isNeeded(correction, hits)),
    nextCursor: end ? encodeCursor([page.sort, valueOf(end), end.skillId]) : null,
  };
}

const valuesBy: Readonly<Record<RankedSort, (found: Found) => number>> = {
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
function inOrder(found: readonly Found[], sort: RankedSort): readonly Found[] {
  const valueOf = valuesBy[sort];
  return found.toSorted((a, b) => valueOf(b) - valueOf(a) || (a.skillId < b.skillId ? -1 : 1));
}

/** Whether hits have the spelling that was searched for, and none has the word as it was typed. */
function isNeeded({ typed, used }: Correction, hits: readonly Hit[]): boolean {
  const has = (word: string) => hits.some(({ found }) => findTerm(found.packed, hashOf(stemOf(word))) !== 0);
  return has(used) && !has(typed);
}

/** The best hit that the caller may read: one of the page, or one before it. */
async function firstReadable(
  app: App,
  actor: Actor,
  request: RankedRequest,
  found: readonly Found[],
  hits: readonly Hit[],
): Promise<Found | undefined> {
  const shown = new Set(hits.map((hit) => hit.found));
  for (let at = 0; at < found.length; at += slice) {
    const some = found.slice(at, at + slice);
    if (shown.has(some[0]!)) return some[0];
    const readable = await readSkills(
      app,
      actor,
      request,
      some.map(({ skillId }) => skillId),
    );
    const first = some.find(({ skillId }) => readable.has(skillId));
    if (first) return first;
  }
  return undefined;
}

/** Hits that are read together to find the first one. */
const slice = 10;

async function readSkills(
  app: App,
  actor: Actor,
  { scopes, query: _query, ...conditions }: RankedRequest,
  ids: readonly string[],
): Promise<Map<string, Omit<Hit, "found">>> {
  const read = await Promise.all(
    scopes.map(async (scope): Promise<[string, Omit<Hit, "found">][]> => {
      const skills = await app.storage.skillSearch.listFound(ids, { scope, ...conditions });
      const allowed = await allowedIn(app, actor, scope, skills);
      const isOwn = scope.kind === "tenants";
      return allowed.map((skill) => [skill._id, { skill, isOwn }]);
    }),
  );
  // A public skill of one's own organization is shown as a member sees it.
  return new Map(read.toReversed().flat());
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
