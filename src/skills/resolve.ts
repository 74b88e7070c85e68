/**
 * Resolves a reference as typed by a user (slug, `org/slug`, publicId or share URL) and a pin to a version of a skill.
 */
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { Actor } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { loadTrees } from "../folders/tree/trees.ts";
import { proofRequired } from "../users/requirements.ts";
import { authorizeSkill, keepAllowed, loadSkill, treesOf } from "./load.ts";
import { selectVersion } from "./versions/select-version.ts";
import { readSelector } from "./versions/semver.ts";

/** Maximum number of candidates in an error. */
const candidateLimit = 20;

/**
 * Resolves a reference and a pin. Throws `not_found`, or `ambiguous`, with `details.candidates`. `own`: the skill
 * belongs to one of the caller's organizations.
 */
export async function resolveSkill(
  app: App,
  actor: Actor,
  ref: string,
  spec: string | undefined,
): Promise<{ skill: SkillDoc; version: VersionDoc; own: boolean }> {
  const selector = readSelector(spec);
  const skill = await resolveRef(app, actor, ref.trim());
  const version = await selectVersion(app, skill, selector);
  return { skill, version, own: membershipIn(actor, skill.tenantId) !== undefined };
}

/** The skill of a reference as it is typed. Throws `not_found`, or `ambiguous`, with `details.candidates`. */
export async function resolveRef(app: App, actor: Actor, ref: string): Promise<SkillDoc> {
  const shared = readShareUrl(app, ref);
  if (shared) return loadSkill(app, actor, shared, "skill:read", { typed: ref });

  const qualified = /^([a-z0-9-]+)[/~]([a-z0-9-]+)$/.exec(ref);
  if (qualified)
    return loadSkill(app, actor, `${qualified[1]}~${qualified[2]}`, "skill:read", { typed: ref });

  if (/^[A-Za-z0-9]{10}$/.test(ref)) {
    const found = await app.storage.skillLookups.findByPublicId(ref);
    const trees = treesOf(found ? [found] : []);
    const [readable] = await keepAllowed(app, actor, "skill:read", found ? [found.skill] : [], trees);
    if (readable) return readable;
  }
  if (/^[0-9a-f]{24}$/.test(ref)) return loadSkill(app, actor, ref, "skill:read");
  return resolveBareSlug(app, actor, ref);
}

/** The publicId in a share URL; undefined if the reference is not a URL. Throws for a URL of another service. */
function readShareUrl(app: App, ref: string): string | undefined {
  if (!/^https?:\/\//i.test(ref)) return undefined;
  const url = URL.canParse(ref) ? new URL(ref) : undefined;
  const publicId = /^\/s\/([A-Za-z0-9]{10})\/?$/.exec(url?.pathname ?? "")?.[1];
  if (publicId === undefined || url?.host !== new URL(app.config.baseUrl).host) {
    throw invalidRequest(`"${ref.slice(0, 200)}" is not a share URL of ${app.config.baseUrl}.`);
  }
  return publicId;
}

/**
 * A bare slug refers to a skill of the caller's own organizations only. Anyone can publish a skill with any name, so a
 * slug that is not found there must never resolve to a skill of another organization.
 */
async function resolveBareSlug(app: App, actor: Actor, slug: string): Promise<SkillDoc> {
  const tenantIds = actor.kind === "anonymous" ? [] : actor.memberships.map((m) => m.tenantId);
  const named = tenantIds.length > 0 ? await app.storage.skillLookups.listBySlugIn(tenantIds, slug) : [];
  const trees = treesOf(named);
  const skills = named.map(({ skill }) => skill);
  const own = await keepAllowed(app, actor, "skill:read", skills, trees);
  if (own.length === 1) return authorizeSkill(app, actor, "skill:read", own[0], slug, trees);
  const others = await listPublicNamesakes(app, actor, slug, tenantIds);
  const candidates = [
    ...(await presentCandidates(app, own)),
    ...others.map((skill) => ({ publicId: skill.publicId, slug, ref: refOf(skill) })),
  ].slice(0, candidateLimit);
  // The name may be that of a skill which a missing factor withholds: saying so reveals nothing about it.
  const [withheld] = actor.kind === "user" ? (actor.withheld ?? []) : [];
  if (own.length === 0 && withheld) throw proofRequired(withheld);
  if (candidates.length === 0) return authorizeSkill(app, actor, "skill:read", undefined, slug);
  const details = { kind: "skill" as const, ref: slug, candidates };
  if (own.length > 1)
    throw new ServiceError(
      "ambiguous",
      `"${slug}" names several skills. Write organization/${slug}.`,
      details,
    );
  throw new ServiceError(
    "not_found",
    actor.kind === "anonymous"
      ? "You are not signed in, and a slug alone names a skill of your own organizations. " +
          `Write organization/${slug}, or sign in.`
      : `Your organizations have no skill "${slug}" that you can read. Write organization/${slug}.`,
    details,
  );
}

/**
 * Public skills with a slug in other organizations, oldest first, so that no later publisher precedes an earlier one.
 */
async function listPublicNamesakes(
  app: App,
  actor: Actor,
  slug: string,
  tenantIds: readonly string[],
): Promise<SkillDoc[]> {
  const found = await app.storage.skills.listBySlugInCatalog(slug, tenantIds, candidateLimit);
  return keepAllowed(app, actor, "skill:read", found);
}

export const refOf = ({ tenantSlug, slug }: SkillDoc) => `${tenantSlug}/${slug}`;

/** Skills as they appear in error details. The caller must be allowed to read all of them. */
export async function presentCandidates(app: App, skills: readonly SkillDoc[]) {
  const inFolders = skills.filter((skill) => skill.folderId !== null);
  const trees = await loadTrees(app, [...new Set(inFolders.map((skill) => skill.tenantId))]);
  return skills.map((skill) => ({
    publicId: skill.publicId,
    slug: skill.slug,
    ref: refOf(skill),
    folderId: skill.folderId,
    path: skill.folderId === null ? "/" : trees.get(skill.tenantId)!.path(skill.folderId),
  }));
}
