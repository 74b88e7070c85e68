/** The skills that a caller can read without words to search for: own ones and public ones in one sorted list. */
import {
  sortFields,
  type SkillConditions,
  type SkillScope,
  type SkillSort,
} from "../../../storage/search/skills.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { SeenSkill } from "../load.ts";
import { cursorAfter, listPage } from "./search.ts";

export interface ListedSkill {
  skill: SeenSkill;
  /** Whether it is of an organization of the caller. */
  isOwn: boolean;
}

export type BrowseConditions = Omit<SkillConditions, "scope"> & { scopes: readonly SkillScope[] };

/** A page of the merged lists of all scopes. A skill of two scopes is shown as the first one has it. */
export async function browsePage(
  app: App,
  actor: Actor,
  { scopes, ...conditions }: BrowseConditions,
  page: { limit: number; cursor?: string; sort: SkillSort },
): Promise<{ hits: ListedSkill[]; nextCursor: string | null }> {
  const { sort, limit } = page;
  const lists = await Promise.all(
    scopes.map((scope) =>
      listPage(app, readerIn(scope, actor), { scope, sort, ...conditions }, page, async (slice) => ({
        listed: await app.storage.skillSearch.list(slice),
      })),
    ),
  );
  const found = new Map<string, ListedSkill>();
  for (const [at, { items }] of lists.entries())
    for (const skill of items)
      if (!found.has(skill._id)) found.set(skill._id, { skill, isOwn: scopes[at]!.kind === "tenants" });
  const valueOf = ({ skill }: ListedSkill) => Number(skill[sortFields[sort]]);
  // The order of each list, so that the best of all lists are among the best of each.
  const sorted = [...found.values()].sort(
    (a, b) => valueOf(b) - valueOf(a) || (a.skill._id > b.skill._id ? -1 : 1),
  );
  const hits = sorted.slice(0, limit);
  const hasMore = sorted.length > limit || lists.some(({ nextCursor }) => nextCursor !== null);
  const last = hits.at(-1);
  return {
    hits,
    nextCursor: hasMore && last ? cursorAfter({ skill: last.skill, value: valueOf(last) }, sort) : null,
  };
}

/** The catalog is the same for every caller. */
export const readerIn = (scope: SkillScope, actor: Actor): Actor =>
  scope.kind === "tenants" ? actor : { kind: "anonymous", origin: actor.origin };
