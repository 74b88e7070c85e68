/** From what a person typed (a slug, `org/slug`, a publicId or a share URL) to one skill and one version. */
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { loadTrees } from "../folders/load.ts";
import { admit, keepAllowed, loadSkill, selectVersion } from "./load.ts";
import { readSelector } from "./semver.ts";

/** How many skills an ambiguous reference is told to fit. */
const candidateLimit = 20;

/** Resolves a reference and a pin. Throws `not_found`, or `ambiguous` with `details.candidates`. */
export async function resolveSkill(
  app: App,
  actor: Actor,
  ref: string,
  spec: string | undefined,
): Promise<{ skill: SkillDoc; version: VersionDoc }> {
  const selector = readSelector(spec);
  const skill = await resolveRef(app, actor, ref.trim());
  return { skill, version: await selectVersion(app, skill, selector) };
}

async function resolveRef(app: App, actor: Actor, ref: string): Promise<SkillDoc> {
  const shared = readShareUrl(app, ref);
  if (shared) return loadSkill(app, actor, shared, "skill:read");

  const qualified = /^([a-z0-9-]+)[/~]([a-z0-9-]+)$/.exec(ref);
  if (qualified) return loadSkill(app, actor, `${qualified[1]}~${qualified[2]}`, "skill:read");

  if (/^[A-Za-z0-9]{10}$/.test(ref)) {
    const byPublicId = await app.storage.skills.findByPublicId(ref);
    const [readable] = await keepAllowed(app, actor, "skill:read", byPublicId ? [byPublicId] : []);
    if (readable) return readable;
  }
  if (/^[0-9a-f]{24}$/.test(ref)) return loadSkill(app, actor, ref, "skill:read");
  return resolveBareSlug(app, actor, ref);
}

/** The publicId in a share URL of this service; undefined for what is no URL. Another host's skills are not ours. */
function readShareUrl(app: App, ref: string): string | undefined {
  if (!/^https?:\/\//i.test(ref)) return undefined;
  const url = URL.canParse(ref) ? new URL(ref) : undefined;
  const publicId = /^\/s\/([A-Za-z0-9]{10})\/?$/.exec(url?.pathname ?? "")?.[1];
  if (publicId === undefined || url?.host !== new URL(app.config.baseUrl).host) {
    throw invalidRequest(`"${ref.slice(0, 200)}" is not a share URL of ${app.config.baseUrl}.`);
  }
  return publicId;
}

/** One's own organizations come first: a public skill of a stranger never makes a name of theirs ambiguous. */
async function resolveBareSlug(app: App, actor: Actor, ref: string): Promise<SkillDoc> {
  const { skills } = app.storage;
  const tenantIds = actor.kind === "anonymous" ? [] : actor.memberships.map((m) => m.tenantId);
  const named = tenantIds.length > 0 ? await skills.listBySlugIn(tenantIds, ref) : [];
  const own = await keepAllowed(app, actor, "skill:read", named);
  const candidates =
    own.length > 0
      ? own
      : await keepAllowed(
          app,
          actor,
          "skill:read",
          await skills.listBySlugInCatalog(ref, candidateLimit + 1),
        );
  if (candidates.length > 1) {
    throw new ServiceError("ambiguous", `"${ref}" names several skills: write it as organization/${ref}.`, {
      kind: "skill",
      ref,
      candidates: await presentCandidates(app, candidates.slice(0, candidateLimit)),
    });
  }
  return admit(app, actor, "skill:read", candidates[0], ref);
}

/** Skills as error details name them. The caller may read every one of them. */
export async function presentCandidates(app: App, skills: readonly SkillDoc[]) {
  const filed = skills.filter((skill) => skill.folderId !== null);
  const trees = await loadTrees(app, [...new Set(filed.map((skill) => skill.tenantId))]);
  return skills.map((skill) => ({
    publicId: skill.publicId,
    slug: skill.slug,
    ref: `${skill.tenantSlug}/${skill.slug}`,
    folderId: skill.folderId,
    path: skill.folderId === null ? "/" : trees.get(skill.tenantId)!.path(skill.folderId),
  }));
}
