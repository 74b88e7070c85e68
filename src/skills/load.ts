/** Loads skills with the access rule applied. */
import type { SkillAct } from "../../contract/dashboard/lists.ts";
import { isAnonymousName, type Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { TreeState } from "../../storage/folders/folders.ts";
import type { FoundSkill } from "../../storage/lookups/skills.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { Actor } from "../access/actor.ts";
import {
  administers,
  decideSkill,
  isAllowedIn,
  limitsOf,
  membershipIn,
  type SkillFacts,
} from "../access/decide.ts";
import { actsOnSkill } from "../access/explain.ts";
import type { App } from "../app.ts";
import { ServiceError, SkillRenamed, forbidden, notFound } from "../errors.ts";
import { loadAccessContexts } from "../folders/load.ts";
import { perApp } from "../per-app.ts";
import { proofRequired, refuseUnproved, withheldIn, includeWithheld } from "../users/requirements.ts";

/** The fields on which the access to a skill depends. */
export type AccessFields = Pick<
  SkillDoc,
  "_id" | "tenantId" | "folderId" | "visibility" | "takedown" | "withheld"
>;

/**
 * A skill with the acts of the caller for whom it was loaded. `asAdministrator`: it was loaded only because they
 * administer the service.
 */
export type SeenSkill = SkillDoc & { can?: readonly SkillAct[]; asAdministrator?: true };

/**
 * Finds a skill by id, publicId or `org~slug`, and requires a permission on it. `typed`: the reference in errors.
 * `prefetched`: the result of `prefetchSkill` for the same reference. Throws `SkillRenamed` for a previous slug, by
 * which the response is a redirect, unless `follow` is set.
 */
export async function loadSkill(
  app: App,
  actor: Actor,
  ref: string,
  permission: Permission,
  {
    typed = ref,
    prefetched,
    follow = false,
  }: { typed?: string; prefetched?: PrefetchedSkill; follow?: boolean } = {},
): Promise<SeenSkill> {
  const found = await (prefetched ?? findSkill(app, actor, ref));
  const skill = await authorizeSkill(
    app,
    actor,
    permission,
    found?.skill,
    typed,
    treesOf(found ? [found] : []),
  );
  const [org, slug] = ref.split("~");
  if (!follow && slug !== undefined && slug !== skill.slug)
    throw new SkillRenamed(`${org}/${slug}`, `${skill.tenantSlug}/${skill.slug}`);
  return skill;
}

export type PrefetchedSkill = Promise<FoundSkill | undefined>;

/** For routes with a skill in their path: looks it up during authentication, if that needs no fact about the caller. */
export function prefetchSkill(app: App) {
  return ({ skill: ref = "" }: Readonly<Record<string, string>>): PrefetchedSkill | undefined =>
    findByIds(app, ref);
}

/** States of the trees of found skills; undefined if one of a skill in a folder was not read. */
export function treesOf(found: readonly FoundSkill[]): TreeState[] | undefined {
  const states: TreeState[] = [];
  for (const { skill, tree } of found) {
    if (tree === "unread" && skill.folderId !== null) return undefined;
    if (tree !== undefined && tree !== "unread") states.push(tree);
  }
  return states;
}

/**
 * Finds a skill that anyone can read without signing in. Any other skill is reported as not found, even if the caller
 * can read it as a member.
 */
export async function loadOpenSkill(app: App, actor: Actor, ref: string): Promise<SkillDoc> {
  try {
    return await loadSkill(app, { kind: "anonymous", origin: actor.origin }, ref, "skill:read");
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unauthenticated") throw notFound("skill", ref);
    throw error;
  }
}

/** Facts for the access decision, in the order of the skills. */
async function factsOf(
  app: App,
  actor: Actor,
  skills: readonly AccessFields[],
  trees?: readonly TreeState[],
): Promise<SkillFacts[]> {
  const contexts = await loadAccessContexts(app, actor, skills, trees);
  return skills.map(({ _id, tenantId, visibility, takedown, withheld }, at) => ({
    skillId: _id,
    tenantId,
    visibility,
    isTakenDown: takedown !== undefined,
    isUnreleased: withheld === "unreleased",
    context: contexts[at]!,
  }));
}

/**
 * The skills on which the actor has the permission. `trees`: the states of all their trees, if they were read together
 * with the skills or later.
 */
export async function keepAllowed<T extends AccessFields>(
  app: App,
  actor: Actor,
  permission: Permission,
  skills: readonly T[],
  trees?: readonly TreeState[],
): Promise<T[]> {
  const facts = await factsOf(app, actor, skills, trees);
  return skills.filter((_, at) => decideSkill(actor, permission, facts[at]) === "allowed");
}

/**
 * Whether the caller may read a skill as a member of its organization, by its role and its token: what members alone
 * see. A public skill that they have loaded may also be read by a token that is for others.
 */
export async function readsAsMember(app: App, actor: Actor, skill: AccessFields): Promise<boolean> {
  const { _id, tenantId } = skill;
  if (isAllowedIn(actor, "skill:read", tenantId, null, _id)) return true;
  if (!limitsOf(actor).allowedFolderIds || !membershipIn(actor, tenantId)) return false;
  return (await keepAllowed(app, actor, "skill:read", [{ ...skill, visibility: "private" }])).length === 1;
}

/** The acts of the caller on skills that they may read. `trees`: see `keepAllowed`. */
export async function withActs(
  app: App,
  actor: Actor,
  skills: readonly SkillDoc[],
  trees?: readonly TreeState[],
): Promise<SeenSkill[]> {
  const facts = await factsOf(app, actor, skills, trees);
  return skills.map((skill, at) => ({ ...skill, can: actsOnSkill(actor, facts[at]!) }));
}

/**
 * Applies the access rule to a record, or to a missing one. Effective access in the result comes from the current tree.
 * `trees`: see `keepAllowed`.
 */
export async function authorizeSkill(
  app: App,
  actor: Actor,
  permission: Permission,
  skill: SkillDoc | null | undefined,
  ref: string,
  trees?: readonly TreeState[],
): Promise<SeenSkill> {
  const [facts] = skill ? await factsOf(app, actor, [skill], trees) : [];
  const verdict = decideSkill(actor, permission, facts);
  if (verdict === "absent" || verdict === "unauthenticated") await equalizeTiming(app, skill, ref);
  else if (skill) lastAllowed(app).id = skill._id;
  if (verdict === "unauthenticated") {
    throw new ServiceError("unauthenticated", `"${ref}" is not a public skill. Sign in if it is yours.`, {
      kind: "skill",
      ref,
    });
  }
  if (verdict === "absent") await refuseUnprovedSkill(app, actor, skill, ref, trees);
  if (verdict === "absent" || !skill) throw notFound("skill", ref);
  if (verdict === "refused") {
    throw forbidden(`Your role, grant or token does not allow ${permission} on "${skill.slug}".`, {
      kind: "skill",
      ref,
    });
  }
  const effectiveRestrictionId = facts?.context?.restriction?.folderId ?? null;
  return { ...skill, effectiveRestrictionId, can: facts ? actsOnSkill(actor, facts) : [] };
}

/**
 * Throws `mfa_required` if a missing factor is why the caller sees nothing. A reference that names an organization gets
 * it for every skill, missing ones too; any other reference only for a skill that the caller would see with a factor.
 */
async function refuseUnprovedSkill(
  app: App,
  actor: Actor,
  skill: SkillDoc | null | undefined,
  ref: string,
  trees?: readonly TreeState[],
): Promise<void> {
  if (actor.kind !== "user" || !actor.withheld) return;
  refuseUnproved(actor, /^([a-z0-9-]+)[/~]/.exec(ref)?.[1]);
  const membership = skill && withheldIn(actor, skill.tenantId);
  if (!membership) return;
  const [visible] = await keepAllowed(app, includeWithheld(actor), "skill:read", [skill], trees);
  if (visible) throw proofRequired(membership);
}

const missingId = "0".repeat(24);
/** Id of a skill that exists, for `equalizeTiming`. */
const lastAllowed = perApp(() => ({ id: missingId }));

/**
 * Follows the look-up of a hidden skill by that of a missing one, and the other way round, so that the response time
 * does not reveal whether a hidden skill exists. A slug that no skill has was also looked up as a previous one.
 */
async function equalizeTiming(app: App, hidden: SkillDoc | null | undefined, ref: string): Promise<void> {
  const slug = /^[^/~]+[/~](.*)$/.exec(ref)?.[1];
  if (hidden && slug !== undefined && slug !== hidden.slug) return;
  if (hidden && slug !== undefined) await app.storage.slugReservations.listRenamed([hidden.tenantId], slug);
  await app.storage.skillLookups.find(hidden ? missingId : lastAllowed(app).id);
}

/** Whether the catalog shows it: the derived field `listed`. */
export function isInCatalog(
  skill: Pick<SkillDoc, "visibility" | "effectiveRestrictionId" | "takedown" | "withheld">,
): boolean {
  const { visibility, effectiveRestrictionId, takedown, withheld } = skill;
  return visibility === "public" && effectiveRestrictionId === null && !takedown && !withheld;
}

/** Whether anyone can read it, in the catalog or through its link. */
export function isOpen(skill: SkillDoc): boolean {
  const { visibility, effectiveRestrictionId, takedown, withheld } = skill;
  return (
    visibility !== "private" && effectiveRestrictionId === null && !takedown && withheld !== "unreleased"
  );
}

/** A skill without the access rule, for an administrator of the service. The caller decides what is shown of it. */
export async function findForAdministrator(
  app: App,
  actor: Actor,
  ref: string,
): Promise<SkillDoc | undefined> {
  return administers(actor) ? (await findSkill(app, actor, ref))?.skill : undefined;
}

/** Whether shared caches may store responses: it is public, unrestricted and not taken down. */
export function isShared(skill: SkillDoc): boolean {
  return skill.visibility === "public" && isOpen(skill);
}

async function findSkill(app: App, actor: Actor, ref: string): Promise<FoundSkill | undefined> {
  const at = ref.indexOf("~");
  if (at > 0) return findByPath(app, actor, ref.slice(0, at), ref.slice(at + 1));
  return findByIds(app, ref);
}

/** By id or publicId; undefined if the reference is neither. */
function findByIds(app: App, ref: string): PrefetchedSkill | undefined {
  const { skillLookups } = app.storage;
  if (isId(ref)) return skillLookups.find(ref);
  return /^[A-Za-z0-9]{10}$/.test(ref) ? skillLookups.findByPublicId(ref) : undefined;
}

/** The actor's own organizations are known, which covers most references. */
async function findByPath(
  app: App,
  actor: Actor,
  org: string,
  slug: string,
): Promise<FoundSkill | undefined> {
  const { skillLookups, anonymousIdentities } = app.storage;
  const own = actor.kind === "anonymous" ? undefined : actor.memberships.find((m) => m.tenantSlug === org);
  if (own)
    return (await skillLookups.findBySlug(own.tenantId, slug)) ?? findRenamed(app, [own.tenantId], slug);
  const inTenant = await skillLookups.findByPath(org, slug);
  if (inTenant) return inTenant.found ?? findRenamed(app, [inTenant.tenantId], slug);
  const identity = isAnonymousName(org) ? await anonymousIdentities.findByUsername(org) : undefined;
  return identity ? skillLookups.findBySlug(identity._id, slug) : undefined;
}

/** A skill that had the slug in one of some organizations. */
async function findRenamed(app: App, tenantIds: string[], slug: string): Promise<FoundSkill | undefined> {
  const [found] = await listRenamed(app, tenantIds, slug);
  return found;
}

/** Skills that had the slug in some organizations, at most one in each. */
export async function listRenamed(app: App, tenantIds: string[], slug: string): Promise<FoundSkill[]> {
  const former = await app.storage.slugReservations.listRenamed(tenantIds, slug);
  const found = await Promise.all(former.map(({ skillId }) => app.storage.skillLookups.find(skillId)));
  return found.filter((one) => one !== undefined);
}
