/** Loads skills with the access rule applied. */
import { isAnonymousName, type Permission } from "../../contract/vocabulary.ts";
import { isId } from "../../storage/database.ts";
import type { SkillDoc } from "../../storage/skills.ts";
import type { Actor } from "../access/actor.ts";
import { decideSkill, type SkillFacts } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError, forbidden, notFound } from "../errors.ts";
import { loadAccessContexts } from "../folders/load.ts";

/** Finds a skill by id, publicId or `org~slug`, and requires a permission on it. `typed`: the reference in errors. */
export async function loadSkill(
  app: App,
  actor: Actor,
  ref: string,
  permission: Permission,
  typed = ref,
): Promise<SkillDoc> {
  return authorizeSkill(app, actor, permission, await findSkill(app, actor, ref), typed);
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
async function factsOf(app: App, actor: Actor, skills: readonly SkillDoc[]): Promise<SkillFacts[]> {
  const contexts = await loadAccessContexts(app, actor, skills);
  return skills.map(({ tenantId, visibility, takedown }, at) => ({
    tenantId,
    visibility,
    isTakenDown: takedown !== undefined,
    context: contexts[at]!,
  }));
}

/** The skills on which the actor has the permission. */
export async function keepAllowed<T extends SkillDoc>(
  app: App,
  actor: Actor,
  permission: Permission,
  skills: readonly T[],
): Promise<T[]> {
  const facts = await factsOf(app, actor, skills);
  return skills.filter((_, at) => decideSkill(actor, permission, facts[at]) === "allowed");
}

/**
 * Applies the access rule to a record, or to a missing one. Effective access in the result comes from the current tree.
 */
export async function authorizeSkill(
  app: App,
  actor: Actor,
  permission: Permission,
  skill: SkillDoc | null | undefined,
  ref: string,
): Promise<SkillDoc> {
  const [facts] = skill ? await factsOf(app, actor, [skill]) : [];
  const verdict = decideSkill(actor, permission, facts);
  if ((verdict === "absent" || verdict === "unauthenticated") && !facts?.context)
    await equalizeTiming(app, actor);
  if (verdict === "unauthenticated") {
    throw new ServiceError("unauthenticated", `"${ref}" is not a public skill. Sign in if it is yours.`, {
      kind: "skill",
      ref,
    });
  }
  if (verdict === "absent" || !skill) throw notFound("skill", ref);
  if (verdict === "refused") {
    throw forbidden(`Your role, grant or token does not allow ${permission} on "${skill.slug}".`, {
      kind: "skill",
      ref,
    });
  }
  return { ...skill, governingFolderId: facts?.context?.restriction?.folderId ?? null };
}

/**
 * Runs the same queries as for a skill in a folder, so that the response time does not reveal whether a hidden skill
 * exists.
 */
async function equalizeTiming(app: App, actor: Actor): Promise<void> {
  await loadAccessContexts(app, actor, [{ tenantId: "nowhere", folderId: "nowhere" }]);
}

/** Whether anyone can read it, in the catalog or through its link. */
export function isOpen(skill: SkillDoc): boolean {
  return skill.visibility !== "private" && skill.governingFolderId === null && !skill.takedown;
}

/** Whether shared caches may store responses: it is public, unrestricted and not taken down. */
export function isShared(skill: SkillDoc): boolean {
  return skill.visibility === "public" && isOpen(skill);
}

async function findSkill(app: App, actor: Actor, ref: string): Promise<SkillDoc | null> {
  const { skills } = app.storage;
  if (isId(ref)) return skills.find(ref);
  const at = ref.indexOf("~");
  if (at > 0) {
    const tenantId = await findTenantId(app, actor, ref.slice(0, at));
    return tenantId === undefined ? null : skills.findBySlug(tenantId, ref.slice(at + 1));
  }
  return /^[A-Za-z0-9]{10}$/.test(ref) ? skills.findByPublicId(ref) : null;
}

/** The actor's own organizations are known without a query, which covers most references. */
async function findTenantId(app: App, actor: Actor, slug: string): Promise<string | undefined> {
  const own = actor.kind === "anonymous" ? undefined : actor.memberships.find((m) => m.tenantSlug === slug);
  if (own) return own.tenantId;
  const tenant = await app.storage.tenants.findBySlug(slug);
  if (tenant || !isAnonymousName(slug)) return tenant?._id;
  return (await app.storage.anonymousIdentities.findByUsername(slug))?._id;
}
