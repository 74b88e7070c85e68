/** The skills of a collection: those that a caller may read, and those that some of its readers may not. */
import { limits } from "../../../contract/limits.ts";
import type { CollectionAudience } from "../../../contract/vocabulary.ts";
import type { SkillScope } from "../../../storage/search/skills.ts";
import type { SkillCollectionDoc } from "../../../storage/skills/skill-collections.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { audienceOf, isWider } from "../../access/exposure.ts";
import type { App } from "../../app.ts";
import { notFound, ServiceError } from "../../errors.ts";
import { restrictionIn } from "../../folders/access/exposure.ts";
import { loadTree } from "../../folders/tree/trees.ts";
import { skillAudience } from "../access/exposure.ts";
import { keepAllowed, withActs, type AccessFields, type SeenSkill } from "../load.ts";

const scopeOf = (tenantId: string): SkillScope => ({ kind: "tenants", tenants: [{ tenantId }] });

/**
 * Skills that a collection shows to a caller. Anyone with its link can read an unlisted skill, so it is shown only to
 * those who may read it as members.
 */
async function keepShown<T extends AccessFields>(app: App, actor: Actor, skills: readonly T[]): Promise<T[]> {
  const rows = skills.map(({ _id, tenantId, folderId, visibility, takedown }) => ({
    _id,
    tenantId,
    folderId,
    visibility: visibility === "unlisted" ? ("private" as const) : visibility,
    takedown,
  }));
  const shown = new Set((await keepAllowed(app, actor, "skill:read", rows)).map(({ _id }) => _id));
  return skills.filter(({ _id }) => shown.has(_id));
}

/** The skills of a collection that the caller may read, in its order. */
export async function readMembers(
  app: App,
  actor: Actor,
  { tenantId, skillIds }: Pick<SkillCollectionDoc, "tenantId" | "skillIds">,
): Promise<SeenSkill[]> {
  const skills = await app.storage.skillSearch.listFound(skillIds, { scope: scopeOf(tenantId) });
  const readable = await withActs(app, actor, await keepShown(app, actor, skills));
  const byId = new Map(readable.map((skill) => [skill._id, skill]));
  return skillIds.flatMap((id) => byId.get(id) ?? []);
}

/** Number of skills in each collection that the caller may read, in the order of the collections. */
export async function countMembers(
  app: App,
  actor: Actor,
  tenantId: string,
  collections: readonly Pick<SkillCollectionDoc, "skillIds">[],
): Promise<number[]> {
  const ids = [...new Set(collections.flatMap(({ skillIds }) => skillIds))];
  if (ids.length === 0) return collections.map(() => 0);
  const rows = await app.storage.skillSearch.listCounted({ ids }, { scope: scopeOf(tenantId) });
  const readable = new Set((await keepShown(app, actor, rows)).map(({ _id }) => _id));
  return collections.map(({ skillIds }) => skillIds.filter((id) => readable.has(id)).length);
}

/** By id of a skill: readers of the collection who may not read the skill. */
export async function hiddenFrom(
  app: App,
  { tenantId, folderId, isPublic }: SkillCollectionDoc,
  skills: readonly SkillDoc[],
): Promise<Map<string, CollectionAudience>> {
  const tree = await loadTree(app, tenantId);
  const members = audienceOf(restrictionIn(tree, folderId));
  const hidden = new Map<string, CollectionAudience>();
  for (const skill of skills) {
    const readers = skillAudience(tree, skill, skill);
    if (isWider(readers, members)) hidden.set(skill._id, "members");
    else if (isPublic && readers.kind !== "public") hidden.set(skill._id, "visitors");
  }
  return hidden;
}

/**
 * Ids of the skills that references name, in their order. Throws `not_found` for a skill that the caller may not read,
 * and `invalid_request` for one that is named twice.
 */
export async function findMembers(
  app: App,
  actor: Actor,
  tenantId: string,
  refs: readonly string[],
): Promise<string[]> {
  if (refs.length === 0) return [];
  const found = await app.storage.skills.listByRefs(tenantId, [...refs]);
  const readable = await keepAllowed(app, actor, "skill:read", found);
  const byRef = new Map([
    ...readable.map(({ _id, slug }) => [slug, _id] as const),
    ...readable.map(({ _id }) => [_id, _id] as const),
  ]);
  const ids = refs.map((ref) => {
    const id = byRef.get(ref);
    if (id === undefined) throw notFound("skill", ref);
    return id;
  });
  return [...new Set(ids)];
}

/**
 * A changed list of skills. Skills that its editor may not read stay in it, behind the skill that they have followed;
 * skills that were deleted do not.
 */
export async function mergeMembers(
  app: App,
  actor: Actor,
  { tenantId, skillIds }: SkillCollectionDoc,
  wanted: readonly string[],
): Promise<string[]> {
  const rows = await app.storage.skillSearch.listCounted({ ids: skillIds }, { scope: scopeOf(tenantId) });
  const readable = new Set((await keepShown(app, actor, rows)).map(({ _id }) => _id));
  const unreadable = new Set(rows.map(({ _id }) => _id).filter((id) => !readable.has(id)));
  return keepUnreadable(skillIds, wanted, unreadable);
}

/** Puts the unreadable ones of the previous ids into the wanted ones, each behind the nearest one before it. */
export function keepUnreadable(
  before: readonly string[],
  wanted: readonly string[],
  unreadable: ReadonlySet<string>,
): string[] {
  const merged = [...wanted];
  let at = 0;
  for (const id of before) {
    if (unreadable.has(id) && !wanted.includes(id)) merged.splice(at++, 0, id);
    else if (merged.includes(id)) at = merged.indexOf(id) + 1;
  }
  return merged;
}

/** Throws `limit_reached` for more skills than a collection may have. */
export function checkSize(skillIds: readonly string[]): void {
  const limit = limits.skillsPerCollection;
  if (skillIds.length <= limit) return;
  throw new ServiceError(
    "limit_reached",
    `A collection has at most ${limit} skills: split it into two collections.`,
    {
      kind: "collection",
      limit,
    },
  );
}
