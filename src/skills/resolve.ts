/**
 * Resolves a reference as typed by a user (slug, `org/slug`, publicId or share URL) and a pin to a version of a skill.
 */
import type { RemovalReason } from "../../contract/vocabulary.ts";
import type { FoundSkill } from "../../storage/lookups/skills.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import type { Actor } from "../access/actor.ts";
import { membershipIn } from "../access/decide.ts";
import type { App } from "../app.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { loadTrees } from "../folders/tree/trees.ts";
import { proofRequired } from "../users/requirements.ts";
import { authorizeSkill, keepAllowed, listRenamed, loadSkill, treesOf } from "./load.ts";
import { removalReason, warningsAbout } from "./marks/marks.ts";
import type { ResolveQuery } from "./schema.ts";
import { selectVersion, shownVersion } from "./versions/select-version.ts";
import { readSelector } from "./versions/semver.ts";
import { findVersion } from "./versions/versions.ts";

/** Maximum number of candidates in an error. */
const candidateLimit = 20;

interface ResolvedSkill {
  skill: SkillDoc;
  version: VersionDoc;
  /** It belongs to one of the caller's organizations. */
  own: boolean;
  /** Why the caller should remove the version that it has installed. */
  remove: RemovalReason | undefined;
  /** Sentences about the version, and about a reference by a previous slug. */
  warnings: string[];
}

/**
 * Resolves a reference and a pin. Throws `not_found`, or `ambiguous`, with `details.candidates`, and with `remove`.
 */
export async function resolveSkill(
  app: App,
  actor: Actor,
  { ref: typed, version: spec, installed, hash, withheld = false }: ResolveQuery,
): Promise<ResolvedSkill> {
  const selector = readSelector(spec);
  const ref = typed.trim();
  const skill = await resolveRef(app, actor, ref);
  const remove = await findRemoval(app, skill, { version: installed, hash });
  try {
    const takesLast = withheld && skill.withheld && selector.kind === "current";
    const version =
      (takesLast ? await shownVersion(app, skill) : undefined) ?? (await selectVersion(app, skill, selector));
    const own = membershipIn(actor, skill.tenantId) !== undefined;
    const warnings = [...renameWarning(ref, skill), ...warningsAbout(skill, version)];
    return { skill, version, own, remove, warnings };
  } catch (error) {
    if (!remove || !(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, error.message, { ...error.details, remove });
  }
}

/** A warning for a reference that has a previous slug. */
function renameWarning(ref: string, skill: SkillDoc): string[] {
  const slug = /^(?:[a-z0-9-]+[/~])?([a-z0-9-]+)$/.exec(ref)?.[1];
  const names = [skill.slug, skill.publicId, skill._id];
  return slug === undefined || names.includes(slug)
    ? []
    : [`"${ref}" was renamed: it is ${refOf(skill)} now.`];
}

/** Only those who have the version know its hash: others don't learn that it exists. */
async function findRemoval(
  app: App,
  skill: SkillDoc,
  { version, hash }: { version: number | undefined; hash: string | undefined },
): Promise<RemovalReason | undefined> {
  if (version === undefined || hash === undefined) return undefined;
  const reason = removalReason(skill, version);
  if (reason === undefined) return undefined;
  const row = await findVersion(app, skill, version);
  return row?.hash === hash ? reason : undefined;
}

/** The skill of a reference as it is typed. Throws `not_found`, or `ambiguous`, with `details.candidates`. */
export async function resolveRef(app: App, actor: Actor, ref: string): Promise<SkillDoc> {
  const shared = readShareUrl(app, ref);
  if (shared) return loadSkill(app, actor, shared, "skill:read", { typed: ref });

  const qualified = /^([a-z0-9-]+)[/~]([a-z0-9-]+)$/.exec(ref);
  if (qualified)
    return loadSkill(app, actor, `${qualified[1]}~${qualified[2]}`, "skill:read", {
      typed: ref,
      follow: true,
    });

  if (/^[A-Za-z0-9]{10}$/.test(ref)) {
    const found = await app.storage.skillLookups.findByPublicId(ref);
    const trees = treesOf(found ? [found] : []);
    const [readable] = await keepAllowed(app, actor, "skill:read", found ? [found.skill] : [], trees);
    if (readable) return authorizeSkill(app, actor, "skill:read", readable, ref, trees);
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
  const named = tenantIds.length > 0 ? await listNamed(app, tenantIds, slug) : [];
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

/** The skills with a slug in some organizations; without any, those that had it. */
async function listNamed(app: App, tenantIds: string[], slug: string): Promise<FoundSkill[]> {
  const named = await app.storage.skillLookups.listBySlugIn(tenantIds, slug);
  return named.length > 0 ? named : listRenamed(app, tenantIds, slug);
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
